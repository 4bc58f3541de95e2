import { ChevronRight, RotateCcw } from 'lucide-react';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { useAcceptedDiff } from '../../queries/commits';
import type { CommitFile } from '../../transport/api';
import { Counts } from '../diff/Counts';
import { oneLine } from '../parts/clean';
import { firstClick } from '../parts/firstClick';
import { DiffPane } from './DiffPane';
import { FileName } from './FileRow';

interface AcceptedFilesProps {
  files: readonly CommitFile[];
  chosen: CommitFile | undefined;
  onChoose(path: string): void;
  onReopen(path: string): void;
}

export function AcceptedFiles({ files, chosen, onChoose, onReopen }: AcceptedFilesProps) {
  return (
    <div className="change-files change-accepted" data-shrunk={chosen !== undefined || undefined}>
      <h3 className="change-heading">{t('changes.accepted')}</h3>
      {files.map((file) => (
        <div key={file.path} className="change-kept" data-open={file === chosen || undefined}>
          <button
            type="button"
            className="change-open"
            aria-expanded={file === chosen}
            title={oneLine(file.path)}
            onClick={() => onChoose(file.path)}
          >
            <ChevronRight className="chevron" size={13} aria-hidden />
            <FileName path={file.path} what={file.what} />
            {file.problem !== '' && <span className="change-note truncate">{translated(file.problem)}</span>}
            <Counts added={file.added} removed={file.removed} />
          </button>
          <button
            type="button"
            className="icon-button quiet"
            aria-label={`${t('changes.reopen')}: ${oneLine(file.path)}`}
            title={t('changes.reopen')}
            onClick={firstClick(() => onReopen(file.path))}
          >
            <RotateCcw size={14} aria-hidden />
          </button>
        </div>
      ))}
    </div>
  );
}

/** The accepted changes of one file, already decided. */
export function AcceptedPane({
  spaceId,
  file,
  split,
}: {
  spaceId: string;
  file: CommitFile;
  split: boolean;
}) {
  const { diff, error } = useAcceptedDiff(spaceId, file);
  return <DiffPane key={file.path} diff={diff} error={error} spaceId={spaceId} split={split} />;
}
