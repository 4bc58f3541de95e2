import { Copy } from 'lucide-react';
import { openLink } from '../../commands/links';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { copyText } from '../../markdown';
import { useUpdates } from '../../queries/updates';
import { say } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { AvailableUpdate, UpdateState } from '../../transport/api';
import { lines, oneLine } from '../parts/clean';
import { FailedRead } from '../parts/FailedRead';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { bytes, exact } from '../parts/numbers';
import { useSave } from '../parts/useSave';
import { Notes } from './Notes';
import './updates.css';

/** Settings: checking for updates, the available version, and installing it. */
export function UpdateSettings() {
  const { updates, error, refetch, change, choose } = useUpdates();
  const saving = useSave();
  if (updates === null)
    return (
      <section className="settings-part" aria-labelledby="settings-updates">
        <h2 id="settings-updates">{t('updates.title')}</h2>
        {error === null ? (
          <p className="settings-lead delayed">{t('loading')}</p>
        ) : (
          <FailedRead error={error} className="field-error" onAgain={() => void refetch()} />
        )}
      </section>
    );
  const failed = saving.error?.message ?? translated(updates.error);
  const able = updates.checks !== 'none';
  return (
    <section className="settings-part" aria-labelledby="settings-updates">
      <h2 id="settings-updates">{t('updates.title')}</h2>
      <p className="settings-lead">
        {able
          ? t('updates.lead', { host: oneLine(updates.host) })
          : t('updates.none', { version: oneLine(updates.version) })}
      </p>
      <div className="updates">
        {updates.outcome !== null && (
          <Ended updates={updates} onSeen={() => void saving.run(() => change('DismissUpdateOutcome'))} />
        )}
        {able && (
          <label id="settings-update-checks" className="check">
            <input
              type="checkbox"
              checked={updates.checks === 'daily'}
              onChange={(event) => void choose(event.target.checked)}
            />
            {t('updates.daily')}
          </label>
        )}
        {failed !== '' && (
          <p className="field-error" role="alert">
            <Lines text={failed} />
          </p>
        )}
        {able && (
          <p className="update-status" role="status">
            {status(updates)}
          </p>
        )}
        {updates.available !== null && <Available updates={updates} available={updates.available} />}
        {able && (
          <Buttons updates={updates} busy={saving.busy} run={(what) => void saving.run(() => change(what))} />
        )}
      </div>
    </section>
  );
}

/** What Weft is doing, or the known state. */
function status(updates: UpdateState): string {
  const { phase, available, ready, checkedAt, version } = updates;
  switch (phase) {
    case 'checking':
      return t('updates.checking');
    case 'downloading':
      return t('updates.downloading', { version: oneLine(available?.version ?? '') });
    case 'ready':
      return t(updates.canRestart ? 'updates.ready' : 'updates.readyLater', { version: oneLine(ready) });
    case 'waiting':
      return t('updates.waiting');
    case 'restarting':
      return t('updates.restarting');
    case 'idle':
  }
  if (available !== null)
    return t('updates.available', { version: oneLine(available.version), current: oneLine(version) });
  return checkedAt === 0
    ? t('updates.unchecked', { version: oneLine(version) })
    : t('updates.newest', { version: oneLine(version), at: exact(checkedAt) });
}

function Available({ updates, available }: { updates: UpdateState; available: AvailableUpdate }) {
  const weft = useWeft();
  return (
    <div className="update-version">
      <h3>
        {t('updates.notes', { version: oneLine(available.version) })}{' '}
        <time className="quiet-text tabular" dateTime={new Date(available.date).toISOString()}>
          {exact(available.date)}
        </time>
      </h3>
      <Notes text={available.notes} />
      {updates.phase === 'downloading' && (
        <div className="update-progress">
          <progress
            className="update-bar"
            aria-label={t('updates.progress')}
            value={updates.done}
            max={Math.max(available.size, 1)}
          />
          <span className="quiet-text tabular">
            {t('import.bytes', { read: bytes(updates.done), total: bytes(available.size) })}
          </span>
        </div>
      )}
      {!updates.replaces &&
        (available.url === '' ? (
          <p className="form-note">{t('updates.noFile')}</p>
        ) : (
          <>
            <p className="form-note">
              {t(available.command === '' ? 'updates.byHand' : 'updates.byPackage')}
            </p>
            <div className="update-buttons">
              <button type="button" className="button" onClick={() => openLink(weft, available.url)}>
                {t('updates.download', { size: bytes(available.size) })}
              </button>
              {available.command !== '' && (
                <button
                  type="button"
                  className="button plain"
                  title={oneLine(available.command)}
                  onClick={() => void copyText(available.command).then(() => say(t('copied')))}
                >
                  <Copy size={13} aria-hidden />
                  {t('updates.copyCommand')}
                </button>
              )}
            </div>
            {available.command !== '' && (
              <code className="mono update-command">{oneLine(available.command)}</code>
            )}
          </>
        ))}
    </div>
  );
}

type Action = 'CheckForUpdates' | 'InstallUpdate' | 'CancelUpdate' | 'RestartToUpdate';

interface ButtonsProps {
  updates: UpdateState;
  busy: boolean;
  run(what: Action): void;
}

function Buttons({ updates, busy, run }: ButtonsProps) {
  const { phase, available, replaces } = updates;
  const stops = phase === 'downloading' || phase === 'waiting';
  const installs = phase === 'idle' && available !== null && replaces && available.url !== '';
  return (
    <div className="update-buttons">
      {installs && (
        <button
          type="button"
          className="button"
          {...inactiveWhile(busy)}
          onClick={() => run('InstallUpdate')}
        >
          {t('updates.install', { size: bytes(available.size) })}
        </button>
      )}
      {phase === 'ready' && updates.canRestart && (
        <button
          type="button"
          className="button"
          {...inactiveWhile(busy)}
          onClick={() => run('RestartToUpdate')}
        >
          {t('updates.restart')}
        </button>
      )}
      {stops && (
        <button type="button" className="button" onClick={() => run('CancelUpdate')}>
          {t('cancel')}
        </button>
      )}
      {(phase === 'idle' || phase === 'checking') && (
        <button
          id="settings-check-updates"
          type="button"
          className={installs ? 'button plain' : 'button'}
          {...inactiveWhile(busy || phase === 'checking')}
          onClick={() => run('CheckForUpdates')}
        >
          {t(phase === 'checking' ? 'updates.checking' : 'updates.check')}
        </button>
      )}
    </div>
  );
}

/** The result of the last update. */
function Ended({ updates, onSeen }: { updates: UpdateState; onSeen(): void }) {
  const { outcome } = updates;
  if (outcome === null) return null;
  return (
    <div className="update-ended" data-failed={outcome.failed || undefined}>
      <p role={outcome.failed ? 'alert' : 'status'}>{ended(outcome)}</p>
      <button type="button" className="text-button" onClick={onSeen}>
        {t('updates.dismiss')}
      </button>
    </div>
  );
}

/** Describes the result of an update. */
export function ended(outcome: NonNullable<UpdateState['outcome']>): string {
  return outcome.failed
    ? lines(translated(outcome.why))
    : t('updates.done', { from: oneLine(outcome.from), to: oneLine(outcome.to) });
}
