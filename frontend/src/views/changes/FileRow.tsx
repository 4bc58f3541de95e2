import { Check, ChevronRight, TriangleAlert, Undo2 } from 'lucide-react';
import { memo } from 'react';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import type { ChangedFile } from '../../transport/api';
import { Counts } from '../diff/Counts';
import { oneLine } from '../parts/clean';
import type { Decision } from './useChanges';

interface FileRowProps {
  file: ChangedFile;
  open: boolean;
  onOpen(file: ChangedFile): void;
  onDecide(decision: Decision, file: ChangedFile): void;
}

/** A changed file: the kind and size of the change, and its actions. */
export const FileRow = memo(function FileRow({ file, open, onOpen, onDecide }: FileRowProps) {
  const note = noteOf(file);
  return (
    <div className="change-file" data-open={open || undefined}>
      <button
        type="button"
        className="change-open"
        aria-expanded={open}
        title={oneLine(file.path)}
        onClick={() => onOpen(file)}
      >
        <ChevronRight className="chevron" size={13} aria-hidden />
        <FileName path={file.path} what={file.what} />
        {file.changed && (
          <span className="change-since truncate" title={t('changes.changedSinceNote')}>
            <TriangleAlert size={12} aria-hidden />
            {t('changes.changedSince')}
          </span>
        )}
        {note !== '' && <span className="change-note truncate">{note}</span>}
        <Counts added={file.added} removed={file.removed} />
      </button>
      <button
        type="button"
        className="icon-button quiet"
        aria-label={`${t('changes.acceptFile')}: ${oneLine(file.path)}`}
        title={t('changes.acceptFile')}
        onClick={() => onDecide('accept', file)}
      >
        <Check size={14} aria-hidden />
      </button>
      <button
        type="button"
        className="icon-button quiet"
        aria-label={`${t('changes.rejectFile')}: ${oneLine(file.path)}`}
        title={file.stuck === '' ? t('changes.rejectFile') : translated(file.stuck)}
        disabled={file.stuck !== ''}
        onClick={() => onDecide('reject', file)}
      >
        <Undo2 size={14} aria-hidden />
      </button>
    </div>
  );
});

/** The kind of change, the name and the folder of a file. */
export function FileName({ path, what }: { path: string; what: ChangedFile['what'] }) {
  const slash = path.lastIndexOf('/');
  return (
    <>
      <span className="change-kind" data-what={what} role="img" aria-label={t(`changes.${word(what)}`)}>
        {letters[what]}
      </span>
      <span className="change-name">
        <span className="truncate">{oneLine(path.slice(slash + 1))}</span>
        {slash > 0 && <span className="change-folder truncate">{oneLine(path.slice(0, slash))}</span>}
      </span>
    </>
  );
}

const letters: Record<ChangedFile['what'], string> = {
  added: 'A',
  edited: 'E',
  deleted: 'D',
  renamed: 'R',
  mode: 'M',
  replaced: 'L',
  unknown: '?',
};

function word(what: ChangedFile['what']) {
  if (what === 'mode') return 'modeOnly' as const;
  return what === 'renamed' ? ('edited' as const) : what;
}

/** Changes other than to lines. */
export function noteOf(file: ChangedFile): string {
  if (file.what === 'renamed') return t('changes.renamed', { from: oneLine(file.from) });
  if (file.oldMode !== '') return t('changes.mode', { from: file.oldMode, to: file.newMode });
  return '';
}
