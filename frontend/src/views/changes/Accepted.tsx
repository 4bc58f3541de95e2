import { ChevronRight } from 'lucide-react';
import { t } from '../../i18n';
import { told } from '../../i18n/said';
import { useAcceptedDiff } from '../../queries/commits';
import type { CommitFile } from '../../transport/api';
import { Counts } from '../diff/Counts';
import { oneLine } from '../parts/clean';
import { DiffPane } from './DiffPane';
import { FileName } from './FileRow';

interface AcceptedFilesProps {
  files: readonly CommitFile[];
  chosen: CommitFile | undefined;
  onChoose(path: string): void;
}

export function AcceptedFiles({ files, chosen, onChoose }: AcceptedFilesProps) {
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
            {file.problem !== '' && <span className="change-note">{told(file.problem)}</span>}
            <Counts added={file.added} removed={file.removed} />
          </button>
        </div>
      ))}
    </div>
  );
}

/** What was accepted in one file. There is nothing left to decide. */
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
