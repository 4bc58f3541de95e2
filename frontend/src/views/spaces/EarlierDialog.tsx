import { Dialog } from '@base-ui/react/dialog';
import { History, MessageSquareText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { asCommandError, type CommandError } from '../../commands/failure';
import { forgetSession, importSession } from '../../commands/spaces';
import { t } from '../../i18n';
import { useEarlier } from '../../queries/spaces';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Agent, EarlierSession } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { ago } from '../parts/numbers';
import { shortPath } from '../parts/paths';
import { useSeconds } from '../parts/useNow';

interface EarlierDialogProps {
  agent: Agent;
  folder: string;
  onClose(): void;
}

/** Sessions stored by an agent, to be continued here. */
export function EarlierDialog({ agent, folder, onClose }: EarlierDialogProps) {
  const weft = useWeft();
  const home = useStore(weft.server, (state) => state.about.home);
  const now = useSeconds(false);
  const [everywhere, setEverywhere] = useState(false);
  const [query, setQuery] = useState('');
  const [busy, setBusy] = useState('');
  const [doomed, setDoomed] = useState<EarlierSession | null>(null);
  const [failed, setError] = useState<CommandError | null>(null);
  const earlier = useEarlier(agent.id, everywhere ? '' : folder);
  const error = failed ?? earlier.error;
  const found = earlier.data ?? null;
  const sessions = found?.pages.flatMap((page) => page.sessions ?? []) ?? [];
  const forgets = found?.pages.at(-1)?.forget === true;
  /** Loads more, or retries after an error. */
  const pull = () => {
    setError(null);
    void (earlier.hasNextPage ? earlier.fetchNextPage() : earlier.refetch());
  };

  const take = async (session: EarlierSession) => {
    if (busy !== '') return;
    setBusy(session.sessionId);
    try {
      await importSession(weft, {
        agentId: agent.id,
        sessionId: session.sessionId,
        folder: session.folder || folder,
        title: session.title,
      });
      onClose();
    } catch (failure) {
      setBusy('');
      setError(asCommandError(failure));
    }
  };
  const forget = async ({ sessionId }: EarlierSession) => {
    if (busy !== '') return;
    setBusy(sessionId);
    setError(null);
    try {
      await forgetSession(weft, agent.id, sessionId);
      earlier.drop(sessionId);
    } catch (failure) {
      setError(asCommandError(failure));
    }
    setDoomed(null);
    setBusy('');
  };
  const wanted = query.trim().toLowerCase();
  const shown = sessions.filter(
    ({ title, folder: at }) => title.toLowerCase().includes(wanted) || at.toLowerCase().includes(wanted),
  );
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog earlier-dialog">
          <Dialog.Title className="dialog-title">
            {t('earlier.title', { agent: oneLine(agent.name) })}
          </Dialog.Title>
          <input
            type="search"
            className="field"
            aria-label={t('earlier.search')}
            placeholder={t('earlier.search')}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          {error !== null && (
            <div className="earlier-error" role="alert">
              <p>
                <Lines text={error.message} />
              </p>
              {error.code !== 'unsupported' && (
                <button type="button" className="text-button" onClick={pull}>
                  {t('again')}
                </button>
              )}
            </div>
          )}
          <ul className="earlier-list" aria-label={t('earlier.list')} aria-busy={found === null}>
            {shown.map((session) => (
              <li key={session.sessionId} className="earlier-item">
                <button
                  type="button"
                  className="earlier-row"
                  aria-disabled={busy !== ''}
                  onClick={() => void take(session)}
                >
                  {session.spaceId === '' ? (
                    <History size={15} aria-hidden />
                  ) : (
                    <MessageSquareText size={15} aria-hidden />
                  )}
                  <span dir="auto" className="earlier-name truncate">
                    {oneLine(session.title) || t('earlier.untitled')}
                  </span>
                  <span className="earlier-when">
                    {busy === session.sessionId
                      ? t('earlier.taking')
                      : session.updatedAt > 0 && ago(session.updatedAt, now)}
                  </span>
                  <span className="earlier-where mono truncate">
                    {session.spaceId !== '' ? t('earlier.here') : oneLine(shortPath(session.folder, home))}
                  </span>
                </button>
                {forgets && session.spaceId === '' && doomed !== session && (
                  <button
                    type="button"
                    className="icon-button quiet earlier-forget"
                    aria-label={t('earlier.forget', {
                      title: oneLine(session.title) || t('earlier.untitled'),
                      agent: oneLine(agent.name),
                    })}
                    title={t('earlier.forgetShort', { agent: oneLine(agent.name) })}
                    onClick={() => setDoomed(session)}
                  >
                    <Trash2 size={14} aria-hidden />
                  </button>
                )}
                {doomed === session && (
                  <ConfirmDelete
                    agent={oneLine(agent.name)}
                    busy={busy !== ''}
                    onKeep={() => setDoomed(null)}
                    onForget={() => void forget(session)}
                  />
                )}
              </li>
            ))}
            {found === null && error === null && (
              <li className="quiet-text earlier-none delayed">
                {t('earlier.asking', { agent: oneLine(agent.name) })}
              </li>
            )}
            {found !== null && shown.length === 0 && (
              <li className="quiet-text earlier-none">
                {wanted !== ''
                  ? t('earlier.noMatch')
                  : everywhere
                    ? t('earlier.none')
                    : t('earlier.noneHere')}
              </li>
            )}
            {earlier.hasNextPage && (
              <li>
                <button type="button" className="text-button earlier-more" onClick={pull}>
                  {t('earlier.more')}
                </button>
              </li>
            )}
          </ul>
          <div className="dialog-foot">
            <label className="check">
              <input
                type="checkbox"
                checked={everywhere}
                onChange={(event) => {
                  setError(null);
                  setEverywhere(event.target.checked);
                }}
              />
              {t('earlier.everywhere')}
            </label>
            <button type="button" className="button plain" onClick={onClose}>
              {t('cancel')}
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Confirms that an agent permanently deletes a session. */
function ConfirmDelete({
  agent,
  busy,
  onKeep,
  onForget,
}: {
  agent: string;
  busy: boolean;
  onKeep(): void;
  onForget(): void;
}) {
  return (
    <div className="earlier-confirm" role="alertdialog" aria-label={t('earlier.forgetAsk', { agent })}>
      <p>{t('earlier.forgetAsk', { agent })}</p>
      <button
        type="button"
        className="button plain"
        // biome-ignore lint/a11y/noAutofocus: the user just opened it, and the first answer is safe
        autoFocus
        {...inactiveWhile(busy)}
        onClick={onKeep}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onKeep();
        }}
      >
        {t('earlier.keep')}
      </button>
      <button type="button" className="button primary" {...inactiveWhile(busy)} onClick={onForget}>
        {busy ? t('earlier.forgetting') : t('space.delete')}
      </button>
    </div>
  );
}
