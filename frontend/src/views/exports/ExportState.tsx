import { CircleCheck } from 'lucide-react';
import { type Exported, type ExportProgress, showFile } from '../../commands/exports';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { bytes, count } from '../parts/numbers';
import './exports.css';

/** Progress of an export. */
export function Progress({ progress }: { progress: ExportProgress }) {
  const { done, total } = progress;
  return (
    <>
      <progress
        className="progress-bar"
        aria-label={t('export.title')}
        {...(total > 0 && { value: done, max: total })}
      />
      <span className="quiet-text tabular">
        {total > 0
          ? t('export.progress', { done: count(done), total: count(total) })
          : progress.bytes > 0
            ? t('export.bytes', { size: bytes(progress.bytes) })
            : t('export.busy')}
      </span>
    </>
  );
}

/** The result of an export, and what it doesn't include although one might expect it. */
export function Result({ result }: { result: Exported }) {
  const weft = useWeft();
  const { path, name, secretsHidden, secretsUnread, missing, cut } = result;
  const notes = [
    ...(secretsHidden > 0 ? [t('export.hidden', { count: secretsHidden })] : []),
    ...(secretsUnread > 0 ? [t('export.unread', { count: secretsUnread })] : []),
    ...(missing > 0 ? [t('export.missing', { count: missing })] : []),
    ...(cut > 0 ? [t('export.cut', { count: cut })] : []),
  ];
  return (
    <>
      <p className="export-done">
        <CircleCheck size={15} aria-hidden />
        <span>
          {path === ''
            ? t('export.downloaded', { name: oneLine(name), size: bytes(result.bytes) })
            : t('export.saved', { path: oneLine(path), size: bytes(result.bytes) })}
        </span>
        {path !== '' && (
          <button
            type="button"
            className="text-button"
            onClick={() => void weft.attempt(t('failed.showFile'), () => showFile(weft, path))}
          >
            {t('export.show')}
          </button>
        )}
      </p>
      {notes.map((note) => (
        <p key={note} className="quiet-text">
          {note}
        </p>
      ))}
    </>
  );
}
