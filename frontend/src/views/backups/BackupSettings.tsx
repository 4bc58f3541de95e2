import { Copy } from 'lucide-react';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { copyText } from '../../markdown';
import { useBackups } from '../../queries/backups';
import { say } from '../../state/notify';
import type { KeptBackup } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { FailedRead } from '../parts/FailedRead';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { bytes, exact } from '../parts/numbers';
import { useSave } from '../parts/useSave';
import { LeftOut } from '../secrets/LeftOut';
import './backups.css';

/** Settings of the automatic backups. */
export function BackupSettings() {
  const { backups, error, refetch, choose, make } = useBackups();
  const saving = useSave();
  const failed = saving.error?.message ?? translated(backups?.error ?? '');
  return (
    <section className="settings-part" aria-labelledby="settings-backups">
      <h2 id="settings-backups">{t('backups.title')}</h2>
      <p className="settings-lead">{t('backups.lead')}</p>
      {error !== null && <FailedRead error={error} className="field-error" onAgain={() => void refetch()} />}
      {backups === null && error === null && <p className="settings-lead delayed">{t('loading')}</p>}
      {backups !== null && (
        <div className="backups">
          <label id="settings-daily-backups" className="check">
            <input
              type="checkbox"
              checked={backups.daily}
              onChange={(event) => void choose(event.target.checked)}
            />
            {t('backups.daily')}
          </label>
          {failed !== '' && (
            <p className="field-error" role="alert">
              <Lines text={failed} />
            </p>
          )}
          {backups.backups.length === 0 ? (
            <p className="quiet-text">{t('backups.none')}</p>
          ) : (
            <>
              <ul className="backup-list" aria-labelledby="settings-backups">
                {backups.backups.map((backup) => (
                  <Row key={backup.path} backup={backup} />
                ))}
              </ul>
              <p className="quiet-text tabular">
                {t('backups.all', { count: backups.backups.length, size: bytes(backups.bytes) })}
              </p>
            </>
          )}
          <div>
            <button
              type="button"
              className="button"
              {...inactiveWhile(backups.running || saving.busy)}
              onClick={() => void saving.run(make)}
            >
              {t(backups.running || saving.busy ? 'backups.running' : 'backups.make')}
            </button>
          </div>
          {backups.backups.length > 0 && <p className="form-note">{t('backups.restoreNote')}</p>}
          <LeftOut title={t('backups.leftOut')} places={backups.leftOut} />
        </div>
      )}
    </section>
  );
}

function Row({ backup }: { backup: KeptBackup }) {
  const at = exact(backup.at);
  const command = `weft restore ${quoted(backup.path)}`;
  return (
    <li className="backup-row">
      <time className="tabular" dateTime={new Date(backup.at).toISOString()} title={oneLine(backup.path)}>
        {at}
      </time>
      <span className="backup-size tabular">{bytes(backup.size)}</span>
      <button
        type="button"
        className="button plain"
        aria-label={t('backups.copyRestoreOf', { at })}
        title={oneLine(command)}
        onClick={() => void copyText(command).then(() => say(t('copied')))}
      >
        <Copy size={13} aria-hidden />
        {t('backups.copyRestore')}
      </button>
    </li>
  );
}

/** Quotes a path for a shell. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
