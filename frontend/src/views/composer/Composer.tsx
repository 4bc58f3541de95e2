import { ArrowUp, Folder, Paperclip, Square } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import type { Attached } from '../../state/attachments';
import { takeInserts } from '../../state/insert';
import { say, sayFailed } from '../../state/notify';
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
import { inOrder, partsOf } from './promptParts';
import { Queue } from './Queue';
import { Unready } from './Unready';
import { attach, attachmentsOf, problemOf } from './useAttachments';
import { useCompletion } from './useCompletion';
import { useIntake } from './useIntake';
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
  const field = useRef<HTMLTextAreaElement>(null);
  const history = useRef(new History(session));
  const [empty, setEmpty] = useState(true);
  const { spaceId } = session;
  const rest = useRest();
  const checking = useRef(false);
  const shown = useRef(spaceId);
  shown.current = spaceId;
  const picker = useRef<HTMLInputElement>(null);
  const attachments = attachmentsOf(spaceId);
  const attached = useStore(attachments.store, (state) => state.list);
  const nothing = empty && attached.length === 0;
  const offered = useStore(session.store, ({ conversation }) => conversation.state['session']);
  const can = useMemo(() => {
    const now = offered === undefined ? null : offeredOf(session.store.get().conversation);
    return now?.agentId === space.agentId ? now.can : null;
  }, [offered, session, space.agentId]);
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

  const focus = () => field.current?.focus();
  const intake = useIntake(spaceId, space.folder, attachments, () => {
    // What the agent can take of it is known once it runs.
    session.prepare();
    focus();
  });
  useEffect(
    () =>
      takeInserts((text) => {
        const before = field.current?.value.trimEnd() ?? '';
        put(`${before === '' ? '' : `${before}\n\n`}${text}`);
        field.current?.focus();
      }),
    [put],
  );

  const send = async () => {
    if (offline || checking.current || nothing) return;
    checking.current = true;
    await attachments.settled();
    checking.current = false;
    // Another space may be shown by now; the draft then waits there.
    if (shown.current !== spaceId) return;
    const text = field.current?.value ?? '';
    if (attachments.store.get().list.some((one) => problemOf(one, can, space.agentName) !== ''))
      return say(t('attach.blocked'));
    const taken = attachments.take();
    put('');
    completion.look();
    history.current.reset();
    session.markSent();
    inOrder(spaceId, () => give(text, taken));
  };
  const give = async (text: string, taken: readonly Attached[]) => {
    try {
      const parts = await partsOf(weft.transport, session, text, taken);
      await weft.transport.call('SendPrompt', { spaceId, text, ...(parts.length > 0 && { parts }) });
      attachments.forget(taken);
    } catch (error) {
      // What was typed and attached is not lost with the command.
      if (shown.current !== spaceId) writeDraft(spaceId, readDraft(spaceId) || text);
      else if (field.current?.value === '') put(text);
      attachments.putBack(taken);
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
    {
      id: 'composer.attach',
      title: t('action.attach'),
      section: t('section.space'),
      run: () => picker.current?.click(),
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
      <div className="composer" data-drop={intake.dragging}>
        <CompletionList completion={completion} />
        {intake.dragging && (
          <p className="composer-drop">
            <Paperclip size={15} aria-hidden />
            {t('attach.drop')}
          </p>
        )}
        {rest !== null && (
          <rest.AttachmentList
            attachments={attachments}
            can={can}
            agent={space.agentName}
            onRemoved={focus}
          />
        )}
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
          onPaste={(event) => {
            // A table or a page is on the clipboard as a picture, too: then it is the text that is meant.
            if (event.clipboardData.getData('text/plain') === '' && intake.take(event.clipboardData))
              event.preventDefault();
          }}
          spellCheck
        />
        <div className="composer-foot">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              attach(attachments, [...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = '';
              session.prepare();
              focus();
            }}
          />
          <button
            type="button"
            className="icon-button quiet composer-attach"
            aria-label={t('attach.button')}
            title={t('attach.button')}
            onClick={() => picker.current?.click()}
          >
            <Paperclip size={15} aria-hidden />
          </button>
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
          <span className="grow" />
          {/* What can be chosen needs the room more than what everybody knows. */}
          {(run !== null || !chooses) && (
            <span className="composer-keys" aria-hidden>
              {run === null ? t('composer.hint') : t('composer.stopHint')}
            </span>
          )}
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
          {(run === null || !nothing) && (
            <button
              type="button"
              className="send"
              onClick={() => void send()}
              disabled={nothing || offline}
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
