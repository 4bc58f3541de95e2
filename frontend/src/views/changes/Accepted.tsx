import { ChevronRight } from 'lucide-react';
import { useEffect } from 'react';
import { t } from '../../i18n';
import { told } from '../../i18n/said';
import { useAcceptedDiff, useCommitPlan } from '../../queries/commits';
import type { ChangedFile, CommitFile } from '../../transport/api';
import { Counts } from '../diff/Counts';
import { oneLine } from '../parts/clean';
import { DiffPane } from './DiffPane';
import { FileName } from './FileRow';

/** The files with changes that were accepted and are not committed yet. They are read again with what needs review. */
export function useAccepted(spaceId: string, changes: unknown): readonly CommitFile[] {
  const { data, refetch } = useCommitPlan(spaceId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a decision changes what is accepted
  useEffect(() => void refetch(), [changes, refetch]);
  return data?.files ?? none;
}

const none: readonly CommitFile[] = [];

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
  return (
    <DiffPane
      key={file.path}
      diff={diff}
      file={diff ?? (file as Partial<ChangedFile> as ChangedFile)}
      error={error}
      spaceId={spaceId}
      split={split}
    />
  );
}
