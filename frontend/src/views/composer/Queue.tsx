import { ListEnd, Pause as PauseIcon, Play } from 'lucide-react';
import { useRef, useState } from 'react';
import { sendQueued } from '../../commands/prompts';
import { t } from '../../i18n';
import { shortcutText, useActions } from '../../keyboard/actions';
import { isShared, runOfMember } from '../../state/members';
import { beforeFor, type Pause, pausesOf, promptsOf } from '../../state/queue';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { firstClick } from '../parts/firstClick';
import { inactiveWhile } from '../parts/inactiveWhile';
import { QueuedEntry } from './QueuedEntry';
import { useDragOrder } from './useDragOrder';
import { useQueueOrder } from './useQueueOrder';
import './queue.css';

const resumeKeys = 'mod+shift+Enter';

/** Prompts that wait for the turn to end, or for the user if it failed. */
export function Queue({ session, space }: { session: Session; space: Space }) {
  const conversation = useStore(session.store, (state) => state.conversation);
  const told = promptsOf(conversation.state['queue']);
  const { prompts, move } = useQueueOrder(space.id, told);
  const [news, setNews] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const ids = prompts.map(({ id }) => id);
  const moveTo = (id: string, before: string) => {
    const rest = ids.filter((one) => one !== id);
    const place = before === '' ? rest.length : rest.indexOf(before);
    if (place === ids.indexOf(id)) return;
    move(id, before);
    setNews(t('queue.moved', { place: place + 1, count: ids.length }));
  };
  const { drag, handle } = useDragOrder(list, moveTo);
  if (prompts.length === 0) return null;
  const step = (id: string, by: -1 | 1) => {
    const before = beforeFor(ids, id, by);
    if (before === null) setNews(t(by < 0 ? 'queue.isFirst' : 'queue.isLast'));
    else moveTo(id, before);
  };
  const pauses = pausesOf(prompts, conversation);
  // Shortcuts act on the first queue that can continue.
  const keyed = pauses.find(({ why }) => why !== 'signIn');
  return (
    <section className="queue" aria-label={t('queue.label')}>
      <h2 className="queue-title">
        <ListEnd size={13} aria-hidden />
        {t('queue.title', { count: prompts.length })}
      </h2>
      {pauses.map((pause) => (
        <Paused key={pause.memberId} pause={pause} space={space} keyed={pause === keyed} />
      ))}
      <ul ref={list} data-dropping={drag === null ? undefined : drag.before === '' ? 'end' : 'before'}>
        {prompts.map((prompt) => (
          <QueuedEntry
            key={prompt.id}
            prompt={prompt}
            space={space}
            // Only said: a notification would cover the buttons of the others.
            onKept={() => setNews(t('queue.removed'))}
            idle={runOfMember(conversation.runs, prompt.memberId) === undefined}
            {...(prompts.length > 1 && {
              order: {
                handle: handle(prompt.id),
                dragged: drag?.id === prompt.id,
                target: drag !== null && drag.id !== prompt.id && drag.before === prompt.id,
                onStep: (by) => step(prompt.id, by),
                onHelp: () => setNews(t('queue.moveHelp')),
              },
            })}
          />
        ))}
      </ul>
      <p className="visually-hidden" role="status">
        {news}
      </p>
    </section>
  );
}

interface PausedProps {
  pause: Pause;
  space: Space;
  keyed: boolean;
}

/** The prompts of a member wait until the user sends them. */
function Paused({ pause: { memberId, why, next }, space, keyed }: PausedProps) {
  const weft = useWeft();
  const [busy, setBusy] = useState(false);
  const shared = isShared(space);
  const name = oneLine(space.members.find(({ id }) => id === memberId)?.name ?? '');
  const resume = async () => {
    setBusy(true);
    await weft.attempt(t('failed.send'), () =>
      sendQueued(weft, { spaceId: space.id, promptId: next.id }, next.text),
    );
    setBusy(false);
  };
  useActions(
    keyed && !busy
      ? [
          {
            id: 'queue.resume',
            title: t('action.resumeQueue'),
            section: t('section.space'),
            keys: resumeKeys,
            keywords: ['next', 'prompts', 'continue'],
            run: () => void resume(),
          },
        ]
      : [],
  );
  return (
    // Between two turns the state is briefly 'waiting', which is not shown.
    <div className={why === 'waiting' ? 'queue-paused delayed' : 'queue-paused'}>
      <PauseIcon size={13} aria-hidden />
      <p role="status">{shared ? t(`queue.pausedOf.${why}`, { name }) : t(`queue.paused.${why}`)}</p>
      {why !== 'signIn' && (
        <button
          type="button"
          className="button queue-resume"
          {...inactiveWhile(busy)}
          aria-label={shared ? t('queue.resumeOf', { name }) : undefined}
          title={keyed ? shortcutText(resumeKeys) : undefined}
          // It comes under the pointer when an entry above it is removed.
          onClick={firstClick(resume)}
        >
          <Play size={13} aria-hidden />
          {t('queue.resume')}
        </button>
      )}
    </div>
  );
}
