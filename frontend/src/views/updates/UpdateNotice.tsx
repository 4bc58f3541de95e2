import { X } from 'lucide-react';
import { useId } from 'react';
import { t } from '../../i18n';
import { useUpdates } from '../../queries/updates';
import { showFailure } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { UpdateState } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { ended } from './UpdateSettings';
import './updates.css';

/**
 * At the bottom of the sidebar: asks once whether to check for updates, and reports a new version or the result of an
 * update.
 */
export function UpdateNotice() {
  const weft = useWeft();
  const { updates, change, choose } = useUpdates();
  const id = useId();
  const run = (command: Parameters<typeof change>[0]) =>
    void change(command).catch((error: unknown) => showFailure(t('failed.save'), error));
  const shown = updates === null ? null : notice(updates);
  if (updates === null || shown === null) return null;
  const open = () => weft.showSettings('updates');
  return (
    <section
      className="update-notice"
      aria-labelledby={id}
      data-failed={updates.outcome?.failed || undefined}
    >
      <p id={id}>{shown.text}</p>
      <div className="update-notice-foot">
        {shown.kind === 'ask' && (
          <>
            <button type="button" className="text-button" onClick={() => void choose(true)}>
              {t('updates.askYes')}
            </button>
            <button type="button" className="text-button" onClick={() => void choose(false)}>
              {t('updates.askNo')}
            </button>
          </>
        )}
        {shown.kind === 'ready' && updates.canRestart && (
          <button type="button" className="text-button" onClick={() => run('RestartToUpdate')}>
            {t('updates.restart')}
          </button>
        )}
        {shown.kind === 'waiting' && (
          <button type="button" className="text-button" onClick={() => run('CancelUpdate')}>
            {t('cancel')}
          </button>
        )}
        {shown.kind !== 'ask' && (
          <button type="button" className="text-button" onClick={open}>
            {t('updates.details')}
          </button>
        )}
        {(shown.kind === 'available' || shown.kind === 'ended') && (
          <button
            type="button"
            className="icon-button quiet"
            aria-label={t(shown.kind === 'ended' ? 'updates.dismiss' : 'updates.later')}
            title={t(shown.kind === 'ended' ? 'updates.dismiss' : 'updates.later')}
            onClick={() => run(shown.kind === 'ended' ? 'DismissUpdateOutcome' : 'PostponeUpdate')}
          >
            <X size={13} aria-hidden />
          </button>
        )}
      </div>
    </section>
  );
}

interface Notice {
  kind: 'ended' | 'waiting' | 'restarting' | 'ready' | 'downloading' | 'available' | 'ask';
  text: string;
}

/** What to report; null for nothing. */
export function notice(updates: UpdateState): Notice | null {
  const { available, outcome, phase } = updates;
  if (outcome !== null) return { kind: 'ended', text: ended(outcome) };
  if (phase === 'waiting') return { kind: 'waiting', text: t('updates.waiting') };
  if (phase === 'restarting') return { kind: 'restarting', text: t('updates.restarting') };
  if (phase === 'ready')
    return {
      kind: 'ready',
      text: t(updates.canRestart ? 'updates.ready' : 'updates.readyLater', {
        version: oneLine(updates.ready),
      }),
    };
  if (phase === 'downloading')
    return {
      kind: 'downloading',
      text: t('updates.downloading', { version: oneLine(available?.version ?? '') }),
    };
  if (available !== null && updates.notice)
    return { kind: 'available', text: t('updates.noticed', { version: oneLine(available.version) }) };
  if (updates.checks === 'ask') return { kind: 'ask', text: t('updates.ask') };
  return null;
}
