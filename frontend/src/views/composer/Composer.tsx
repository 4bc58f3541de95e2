import { Paperclip } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { sendPrompt } from '../../commands/prompts';
import { stopSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import type { Attached } from '../../state/attachments';
import { takeInserts } from '../../state/insert';
import { tonesOf } from '../../state/memberLook';
import { isShared, recipientsOf, runOfMember } from '../../state/members';
import { say, showFailure } from '../../state/notify';
import { isMode, offeredOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { ownRuns } from '../../transcript/model';
import { isAsked } from '../../transcript/waiting';
import type { Member, Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { fitHeight } from '../parts/fitHeight';
import { isUndo, putText } from '../parts/putText';
import { useRest } from '../shell/later';
import { AttachButton } from './AttachButton';
import { History } from './history';
import { partsOf, sendInOrder } from './promptParts';
import { SendButtons } from './SendButtons';
import { StartError } from './StartError';
import { useAttachmentSupport } from './useAttachmentSupport';
import { attachmentsOf } from './useAttachments';
import { useCompletion } from './useCompletion';
import { useDraft } from './useDraft';
import { useFileDrop } from './useFileDrop';
import { useRecipients } from './useRecipients';
import { nameOf, useReply } from './useReply';
import { useStopKey } from './useStopKey';
import './composer.css';

/** The message field. Typing only re-renders this component. */
export function Composer({ session, space }: { session: Session; space: Space }) {
  const weft = useWeft();
  const all = useStore(session.store, (state) => state.conversation.runs);
  const runs = ownRuns(all);
  const asked = useRecipients(space);
  const { look } = asked;
  const offline = useStore(
    weft.server,
    (state) => state.connection === 'offline' || state.connection === 'refused',
  );
  const listed = useStore(weft.server, ({ spaces }) => spaces.find(({ id }) => id === space.id));
  const field = useRef<HTMLTextAreaElement>(null);
  const history = useMemo(() => new History(session, weft.drafts), [session, weft]);
  /** The text is being set by code, not typed. */
  const putting = useRef(false);
  const [empty, setEmpty] = useState(true);
  const { spaceId } = session;
  const rest = useRest();
  const checking = useRef(false);
  const shown = useRef(spaceId);
  shown.current = spaceId;
  const picker = useRef<HTMLInputElement>(null);
  const attachments = attachmentsOf(weft.drafts, spaceId);
  const attached = useStore(attachments.store, (state) => state.list.length > 0);
  const nothing = empty && !attached;
  const { lacksSupport, limitedMember, can } = useAttachmentSupport(session, attachments, asked.members);
  const chooses = useStore(
    session.store,
    ({ conversation }) =>
      offeredOf(conversation, asked.first.id)?.options?.some((option) => !isMode(option)) === true,
  );
  const shared = isShared(space);
  const tones = tonesOf(space.members);
  const works = runs.length > 0;
  const requested = useStore(session.store, ({ conversation }) => isAsked(conversation));
  const { wait: replyTo, dismiss } = useReply(listed ?? space, asked.mentioned);
  const waits = replyTo === null && asked.members.every(({ id }) => runOfMember(runs, id) !== undefined);

  const resize = useCallback(() => {
    const element = field.current;
    if (element === null) return;
    fitHeight(element);
    setEmpty(element.value.trim() === '');
    look(element.value);
  }, [look]);

  const put = useCallback(
    (text: string, caret?: number) => {
      if (field.current === null) return;
      putting.current = true;
      putText(field.current, text, caret);
      putting.current = false;
      resize();
    },
    [resize],
  );
  const recalled = useCallback(() => history.active, [history]);
  const fieldKey = useDraft(spaceId, field, resize, recalled, put);
  // Focuses the field when a space is opened, except on touch devices.
  useLayoutEffect(() => {
    const free = document.activeElement === document.body || document.activeElement === null;
    if (free && window.matchMedia('(hover: hover)').matches) field.current?.focus({ preventScroll: true });
  }, []);

  /** Starts the agents of the members that the text is for. */
  const prepareFor = (text: string) => {
    for (const { id } of recipientsOf(text, space)) session.prepare(id);
  };
  const complete = (text: string, caret: number) => {
    put(text, caret);
    history.typed(text, false);
    prepareFor(text);
  };
  const completion = useCompletion(session, asked.first.id, field, complete);

  const focus = () => field.current?.focus();
  const attachedNow = () => {
    // The agent's supported attachments are only known once it runs.
    session.prepare(asked.first.id);
    focus();
  };
  const intake = useFileDrop(spaceId, space.folder, attachments, attachedNow);
  useEffect(
    () =>
      takeInserts((text) => {
        const before = field.current?.value.trimEnd() ?? '';
        const whole = `${before === '' ? '' : `${before}\n\n`}${text}`;
        // execCommand, which keeps the undo history, only works in the focused field.
        field.current?.focus();
        put(whole);
        history.typed(whole, false);
      }),
    [put, history],
  );

  const send = async () => {
    if (offline || checking.current || nothing) return;
    checking.current = true;
    await attachments.settled();
    checking.current = false;
    // Another space may be visible by now; the draft then waits there.
    if (shown.current !== spaceId) return;
    const text = field.current?.value ?? '';
    const to = replyTo === null ? recipientsOf(text, space) : [];
    if (to.some(lacksSupport)) return say(t('attach.blocked'));
    const taken = attachments.take();
    put(history.sent());
    completion.look();
    session.markSent();
    const given = sendInOrder(spaceId, () => give(text, taken, to, replyTo?.requestId ?? ''));
    void weft.drafts.sent(spaceId, given);
  };
  const give = async (
    text: string,
    taken: readonly Attached[],
    members: readonly Member[],
    answers: string,
  ) => {
    try {
      const parts = await partsOf(weft, session, text, taken);
      const to = members.map(({ id }) => id);
      await sendPrompt(weft, {
        spaceId,
        text,
        to,
        answers,
        ...(parts.length > 0 && { parts }),
      });
      attachments.forget(taken);
    } catch (error) {
      // If the command fails, the text and attachments must not be lost.
      if (weft.drafts.content(spaceId).text !== '' || history.active) history.keep(text);
      else {
        if (shown.current === spaceId) put(text);
        weft.drafts.change(spaceId, { text });
      }
      attachments.putBack(taken);
      showFailure(t('failed.send'), error);
    }
  };
  const stop = () => void stopSpace(weft, spaceId);
  const stopKey = useStopKey(works, requested, stop);

  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const element = event.currentTarget;
    if (completion.onKey(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      void send();
    } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && !event.altKey && !event.shiftKey) {
      const text = history.step(event.key === 'ArrowUp' ? -1 : 1, element);
      if (text === null) return;
      event.preventDefault();
      put(text);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      stopKey.press();
    }
    if (event.key !== 'Escape') stopKey.disarm();
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
    ...(works
      ? [
          {
            id: 'run.stop',
            title: t('action.stop'),
            section: t('section.space'),
            run: stop,
          },
          {
            id: 'run.stopByKey',
            title: t('keyboard.stop'),
            section: t('section.space'),
            keys: 'Escape',
            keyOnly: true,
            run: stopKey.press,
          },
        ]
      : []),
  ]);

  return (
    <div className="composer-area">
      <StartError session={session} space={space} member={asked.first} />
      {rest !== null && <rest.Queue session={session} space={space} />}
      {replyTo !== null && rest !== null && (
        <rest.ReplyLine
          wait={replyTo}
          onInstead={() => {
            dismiss();
            focus();
          }}
        />
      )}
      <div className="composer" data-drop={intake.dragging} data-offline={offline || undefined}>
        {rest !== null && <rest.CompletionList completion={completion} tones={tones} />}
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
            agent={limitedMember.name}
            onRemoved={focus}
          />
        )}
        <textarea
          dir="auto"
          key={fieldKey}
          ref={field}
          className="composer-field"
          rows={1}
          aria-label={
            replyTo === null
              ? t('composer.label', { agent: oneLine(asked.first.name) })
              : t('reply.label', { name: nameOf(replyTo) })
          }
          placeholder={
            replyTo !== null
              ? t('reply.placeholder', { name: nameOf(replyTo) })
              : offline
                ? t('composer.offlinePlaceholder')
                : waits
                  ? t('composer.queuePlaceholder')
                  : t(shared ? 'composer.sharedPlaceholder' : 'composer.placeholder', {
                      agent: oneLine(asked.first.name),
                    })
          }
          aria-autocomplete="list"
          {...(completion.list.length > 0 && {
            'aria-controls': completion.id,
            'aria-activedescendant': `${completion.id}-${completion.active}`,
          })}
          onSelect={completion.look}
          onBlur={() => {
            completion.close();
            void weft.drafts.flush(spaceId);
          }}
          onInput={(event) => {
            if (putting.current) return;
            resize();
            completion.look();
            prepareFor(event.currentTarget.value);
            history.typed(event.currentTarget.value, isUndo(event.nativeEvent));
          }}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            // Tables and pages are on the clipboard as an image, too, but the text is meant.
            if (event.clipboardData.getData('text/plain') === '' && intake.take(event.clipboardData))
              event.preventDefault();
          }}
          spellCheck
        />
        <div className="composer-foot">
          <AttachButton attachments={attachments} picker={picker} onAttached={attachedNow} />
          {/* The controls shown first stay in place when the agent's options arrive. */}
          {rest !== null && (
            <rest.ModeMenu session={session} space={listed ?? space} memberId={asked.first.id} />
          )}
          {chooses && rest !== null && (
            <rest.Options key={asked.first.id} session={session} memberId={asked.first.id} />
          )}
          {rest !== null && <rest.UsageNote session={session} memberId={asked.first.id} />}
          <span className="grow" />
          {/* Options need the space more than well-known hints. */}
          {(works || !chooses) && !shared && !stopKey.armed && !offline && (
            <span className="composer-keys" aria-hidden>
              {works ? (requested ? '' : t('composer.stopHint')) : t('composer.hint')}
            </span>
          )}
          <span className="composer-keys" data-armed={stopKey.armed || undefined} role="status">
            {stopKey.armed && t('composer.stopAgain')}
          </span>
          {shared && replyTo === null && rest !== null && (
            <rest.RecipientLine asked={asked.members} tones={tones} />
          )}
          <SendButtons
            runs={runs}
            waits={waits}
            replies={replyTo !== null}
            requested={requested}
            nothing={nothing}
            offline={offline}
            onStop={stop}
            onSend={() => void send()}
          />
        </div>
      </div>
    </div>
  );
}
