import { ArrowUp } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { branchSpace } from '../../commands/spaces';
import { segmentText } from '../../commands/transcript';
import { t } from '../../i18n';
import { Attachments } from '../../state/attachments';
import { mentionedMembers, recipientsOf } from '../../state/members';
import { mentionedBefore, mentionedIn } from '../../state/mentions';
import { say, showFailure } from '../../state/notify';
import type { Session } from '../../state/session';
import type { MessagePlace } from '../../state/shown';
import { useStore } from '../../state/store';
import { readDraft, writeDraft } from '../../state/ui';
import { useWeft, type Weft } from '../../state/weft';
import type { Message } from '../../transcript/model';
import type { Space } from '../../transport/api';
import { AttachButton } from '../composer/AttachButton';
import { AttachmentList } from '../composer/AttachmentList';
import { CompletionList } from '../composer/CompletionList';
import { written } from '../composer/files';
import { partsOf } from '../composer/promptParts';
import { useAttachmentSupport } from '../composer/useAttachmentSupport';
import { attach, attachmentWords, pathWithin } from '../composer/useAttachments';
import { useCompletion } from '../composer/useCompletion';
import { useRecipients } from '../composer/useRecipients';
import { fitHeight } from '../parts/fitHeight';
import { inactiveWhile } from '../parts/inactiveWhile';
import { putText } from '../parts/putText';
import { nameOf } from './MessageAttachments';
import { useReading } from './reading';
import './prompt-editor.css';

/** Unsent attachments by the message of their prompt, because an editor unmounts when the user looks elsewhere. */
const along = new Map<string, Attachments>();
/** Editing sessions that have received the focus. */
const begun = new WeakSet<MessagePlace>();

interface EditorProps {
  message: Message;
  onClose(): void;
}

/** Edits a prompt in place and sends it in a branch. The original stays. */
export function PromptEditor(props: EditorProps) {
  const { session } = useReading();
  const space = useStore(session.store, (state) => state.space);
  return space === null ? null : <Editor {...props} session={session} space={space} />;
}

function Editor({ message, onClose, session, space }: EditorProps & { session: Session; space: Space }) {
  const weft = useWeft();
  const { spaceId } = session;
  const draftKey = `edit:${message.id}`;
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [ready, setReady] = useState(false);
  const [busy, setBusy] = useState(false);
  const attachments = useMemo(() => {
    const list = along.get(message.id) ?? attachedTo(session, message, space.folder);
    along.set(message.id, list);
    return list;
  }, [session, message, space.folder]);
  const attached = useStore(attachments.store, (state) => state.list.length > 0);
  const [empty, setEmpty] = useState(false);
  const asked = useRecipients(space);
  const { look } = asked;
  // The branch has the same recipients.
  const { lacksSupport, limitedMember, can } = useAttachmentSupport(session, attachments, asked.members);

  const resize = useCallback(() => {
    const element = field.current;
    if (element === null) return;
    fitHeight(element);
    setEmpty(element.value.trim() === '');
  }, []);
  const put = useCallback(
    (text: string, caret?: number) => {
      if (field.current === null) return;
      putText(field.current, text, caret);
      resize();
    },
    [resize],
  );
  /** Sets the initial text, without an undo step. */
  const begin = useCallback(
    (text: string) => {
      if (field.current !== null) field.current.value = text;
      put(text);
    },
    [put],
  );
  useEffect(() => {
    if (ready) look(field.current?.value ?? '');
  }, [look, ready]);
  /** Updates the recipients and starts their agents: their supported attachments are known once they run. */
  const judge = (text: string) => {
    look(text);
    if (attachments.store.get().list.length === 0) return;
    for (const { id } of recipientsOf(text, space)) session.prepare(id);
  };
  const complete = (text: string, caret: number) => {
    put(text, caret);
    writeDraft(draftKey, text);
    judge(text);
  };
  const completion = useCompletion(session, asked.first.id, field, complete);

  // Its lines wrap differently when it becomes narrower.
  useEffect(() => {
    const element = field.current;
    if (element === null) return;
    let { clientWidth } = element;
    const watch = new ResizeObserver(() => {
      if (element.clientWidth === clientWidth) return;
      clientWidth = element.clientWidth;
      resize();
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [resize]);
  useLayoutEffect(() => {
    begin(readDraft(draftKey) || textOf(message));
    if (isWhole(message)) setReady(true);
    // When returning to a space, the user may have left it from elsewhere.
    const { editing } = weft.shown.get();
    if (editing === null || begun.has(editing)) return;
    begun.add(editing);
    field.current?.focus({ preventScroll: true });
    // The prompt may have been scrolled away since it got the focus.
    field.current?.scrollIntoView?.({ block: 'nearest' });
  }, [message, begin, weft, draftKey]);
  useEffect(() => {
    if (isWhole(message)) return;
    let wanted = true;
    wholeText(weft, spaceId, message).then(
      (text) => {
        if (!wanted) return;
        begin(readDraft(draftKey) || text);
        setReady(true);
      },
      (error: unknown) => {
        if (!wanted) return;
        showFailure(t('failed.text'), error);
        onClose();
      },
    );
    return () => {
      wanted = false;
    };
  }, [weft, spaceId, message, begin, onClose, draftKey]);

  /** Closes the editor and discards its state. */
  const end = () => {
    attachments.forget(attachments.take());
    along.delete(message.id);
    writeDraft(draftKey, '');
    onClose();
  };
  const nothing = empty && !attached;
  const attachedNow = () => {
    judge(field.current?.value ?? '');
    field.current?.focus();
  };
  const send = async () => {
    if (busy || nothing || !ready) return;
    if (recipientsOf(field.current?.value ?? '', space).some(lacksSupport)) return say(t('attach.blocked'));
    setBusy(true);
    try {
      await attachments.settled();
      const text = field.current?.value ?? '';
      const { list } = attachments.store.get();
      const parts = await partsOf(weft, session, text, list);
      const to = mentionedMembers(text, space.members);
      await branchSpace(weft, { spaceId, messageId: message.id, before: true, text, parts, to });
      end();
    } catch (error) {
      // The text stays where it was written.
      setBusy(false);
      showFailure(t('failed.send'), error);
    }
  };
  return (
    <div className="composer prompt-editor" data-busy={busy || undefined}>
      <CompletionList completion={completion} />
      <AttachmentList
        attachments={attachments}
        can={can}
        agent={limitedMember.name}
        onRemoved={() => field.current?.focus()}
      />
      <textarea
        dir="auto"
        ref={field}
        className="composer-field"
        rows={1}
        readOnly={busy || !ready}
        aria-label={t('editPrompt.label')}
        aria-describedby={`${message.id}-edit`}
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
          writeDraft(draftKey, event.currentTarget.value);
          judge(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || completion.onKey(event)) return;
          if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
            event.preventDefault();
            void send();
          } else if (event.key === 'Escape' && !busy) {
            event.preventDefault();
            event.stopPropagation();
            onClose();
          }
        }}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (event.clipboardData.getData('text/plain') !== '' || files.length === 0) return;
          event.preventDefault();
          attach(attachments, files);
          attachedNow();
        }}
        spellCheck
      />
      <div className="prompt-editor-foot">
        <AttachButton attachments={attachments} picker={picker} onAttached={attachedNow} />
        <p id={`${message.id}-edit`} className="prompt-editor-note">
          {t('editPrompt.note')}{' '}
          <button
            type="button"
            className="text-button"
            onClick={() => weft.dialogs.set({ undoSince: { spaceId, messageId: message.id } })}
          >
            {t('editPrompt.undo')}
          </button>
        </p>
        <span className="prompt-editor-buttons">
          <button type="button" className="button plain" {...inactiveWhile(busy)} onClick={end}>
            {t('cancel')}
          </button>
          <button
            type="button"
            className="button primary"
            {...inactiveWhile(busy)}
            disabled={nothing || !ready}
            onClick={() => void send()}
          >
            <ArrowUp size={14} aria-hidden />
            {busy ? t('editPrompt.sending') : t('editPrompt.send')}
          </button>
        </span>
      </div>
    </div>
  );
}

/** The attachments of a prompt to send again, except those that its text mentions. */
function attachedTo(session: Session, message: Message, folder: string): Attachments {
  const attachments = new Attachments(session.spaceId, attachmentWords);
  const { conversation } = session.store.get();
  const mentioned = mentionedIn(textOf(message), mentionedBefore(conversation, written));
  for (const segment of message.segments) {
    if (segment.type !== 'display') continue;
    const { type, path, uri, ref, mimeType } = segment.display;
    const at = path ?? (uri === undefined || ref !== undefined ? null : pathWithin(folder, uri));
    if (at !== null && at !== undefined) {
      if (!mentioned.includes(at)) attachments.addPath(at);
    } else if (ref !== undefined) {
      const kind = type === 'image' || type === 'audio' ? type : 'text';
      attachments.addStored({ ...ref, mimeType: mimeType ?? '' }, nameOf(segment.display), kind);
    }
  }
  return attachments;
}

function textOf(message: Message): string {
  return message.segments.flatMap((s) => (s.type === 'text' ? [s.text.toString()] : [])).join('\n');
}

function isWhole(message: Message): boolean {
  return message.firstSegment === 0 && message.segments.every((s) => s.type !== 'text' || s.textStart === 0);
}

/** Loads the complete text of a prompt that is only partly in memory. */
async function wholeText(weft: Weft, spaceId: string, message: Message): Promise<string> {
  const blocks: string[] = [];
  for (const [i, segment] of message.segments.entries()) {
    if (segment.type !== 'text') continue;
    const at = { spaceId, messageId: message.id, segment: message.firstSegment + i };
    let before = '';
    for (let from = 0; from < segment.textStart; ) {
      const { text } = await segmentText(weft, { ...at, from, to: segment.textStart });
      if (text === '') break;
      before += text;
      from += new TextEncoder().encode(text).length;
    }
    blocks.push(before + segment.text.toString());
  }
  return blocks.join('\n');
}
