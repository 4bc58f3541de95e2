import { ArrowUp, Folder, Square } from 'lucide-react';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import { sayFailed } from '../../state/notify';
import { offeredOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { readDraft, writeDraft } from '../../state/ui';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { shortPath } from '../parts/paths';
import { useRest } from '../shell/later';
import { CompletionList } from './CompletionList';
import { History } from './history';
import { Queue } from './Queue';
import { Unready } from './Unready';
import { useCompletion } from './useCompletion';
import './composer.css';

/** Where the person writes. Typing changes nothing but this component. */
export function Composer({ session, space }: { session: Session; space: Space }) {
  const weft = useWeft();
  const run = useStore(session.store, (state) => state.conversation.run);
  const offline = useStore(
    weft.store,
    (state) => state.connection === 'offline' || state.connection === 'refused',
  );
  const home = useStore(weft.store, (state) => state.about.home);
  const listed = useStore(weft.store, ({ spaces }) => spaces.find(({ id }) => id === space.id));
  const rest = useRest();
  const field = useRef<HTMLTextAreaElement>(null);
  const history = useRef(new History(session));
  const [empty, setEmpty] = useState(true);
  const { spaceId } = session;
  const chooses = useStore(
    session.store,
    ({ conversation }) => (offeredOf(conversation)?.options ?? []).length > 0,
  );

  const resize = useCallback(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = '0';
    element.style.height = `${element.scrollHeight}px`;
    setEmpty(element.value.trim() === '');
  }, []);

  useLayoutEffect(() => {
    if (field.current !== null) field.current.value = readDraft(spaceId);
    history.current = new History(session);
    resize();
  }, [spaceId, session, resize]);
  // A space that is opened is about to be written in, except by touch.
  useLayoutEffect(() => {
    const free = document.activeElement === document.body || document.activeElement === null;
    if (free && window.matchMedia('(hover: hover)').matches) field.current?.focus({ preventScroll: true });
  }, []);

  const put = useCallback(
    (text: string, caret = text.length) => {
      const element = field.current;
      if (element === null) return;
      element.value = text;
      writeDraft(spaceId, text);
      resize();
      element.setSelectionRange(caret, caret);
    },
    [resize, spaceId],
  );

  const completion = useCompletion(session, field, put);

  const send = async () => {
    const text = field.current?.value ?? '';
    if (text.trim() === '' || offline) return;
    put('');
    completion.look();
    history.current.reset();
    session.markSent();
    try {
      await weft.transport.call('SendPrompt', { spaceId, text });
    } catch (error) {
      // What was typed is not lost with the command.
      if (field.current?.value === '') put(text);
      sayFailed(t('failed.send'), error);
    }
  };
  const stop = () => void weft.stop(spaceId);

  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const element = event.currentTarget;
    if (completion.onKey(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      void send();
    } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && !event.altKey && !event.shiftKey) {
      const text = history.current.step(event.key === 'ArrowUp' ? -1 : 1, element);
      if (text === null) return;
      event.preventDefault();
      put(text);
    } else if (event.key === 'Escape' && run !== null) {
      event.preventDefault();
      event.stopPropagation();
      stop();
    }
  };

  useActions([
    {
      id: 'composer.focus',
      title: t('action.write'),
      section: t('section.space'),
      keys: '/',
      run: () => field.current?.focus(),
    },
    ...(run === null
      ? []
      : [
          { id: 'run.stop', title: t('action.stop'), section: t('section.space'), keys: 'Escape', run: stop },
        ]),
  ]);

  return (
    <div className="composer-area">
      <Unready session={session} space={space} />
      <Queue session={session} />
      <div className="composer">
        <CompletionList completion={completion} />
        <textarea
          ref={field}
          className="composer-field"
          rows={1}
          aria-label={t('composer.label', { agent: space.agentName })}
          placeholder={
            run === null
              ? t('composer.placeholder', { agent: space.agentName })
              : t('composer.queuePlaceholder')
          }
          aria-autocomplete="list"
          {...(completion.list.length > 0 && {
            'aria-controls': completion.id,
            'aria-activedescendant': `${completion.id}-${completion.active}`,
          })}
          onSelect={completion.look}
          onBlur={completion.close}
          onInput={(event) => {
            resize();
            completion.look();
            session.prepare();
            writeDraft(spaceId, event.currentTarget.value);
          }}
          onKeyDown={onKeyDown}
          spellCheck
        />
        <div className="composer-foot">
          {chooses && rest !== null ? (
            <rest.Options session={session} />
          ) : (
            <span className="composer-where" title={space.folder}>
              <Folder size={13} aria-hidden />
              <span className="composer-path">{oneLine(shortPath(space.folder, home))}</span>
            </span>
          )}
          {rest !== null && <rest.ModeMenu space={listed ?? space} />}
          {rest !== null && <rest.UsageNote session={session} />}
          <span className="composer-keys" aria-hidden>
            {run === null ? t('composer.hint') : t('composer.stopHint')}
          </span>
          {run !== null && (
            <button
              type="button"
              className="send stop"
              onClick={stop}
              disabled={run.stopping}
              aria-label={run.stopping ? t('composer.stopping') : t('composer.stop')}
              title={run.stopping ? t('composer.stopping') : t('composer.stop')}
            >
              <Square size={11} fill="currentColor" aria-hidden />
            </button>
          )}
          {(run === null || !empty) && (
            <button
              type="button"
              className="send"
              onClick={() => void send()}
              disabled={empty || offline}
              aria-label={run === null ? t('composer.send') : t('composer.queue')}
              title={run === null ? t('composer.send') : t('composer.queue')}
            >
              <ArrowUp size={16} aria-hidden />
            </button>
          )}
        </div>
      </div>
    </div>
  );
}
