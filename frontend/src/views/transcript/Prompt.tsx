import { Download, Link, Pencil, Undo2 } from 'lucide-react';
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { messagePlace } from '../../state/link';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Message } from '../../transcript/model';
import { goBranch, Switcher } from '../branches/Switcher';
import { Lines } from '../parts/Lines';
import { clock, exact } from '../parts/numbers';
import { overflows } from '../parts/overflows';
import { useJustArrived } from '../parts/useJustArrived';
import { copyLink } from '../places/copyLink';
import { useDisclosure } from './disclosure';
import { MessageAttachments } from './MessageAttachments';
import { PromptEditor } from './PromptEditor';
import { useReading } from './reading';

/** Characters rendered of a collapsed prompt, of which about eight lines are visible. */
const longest = 4000;
const mostLines = 24;
/** A one-line text up to this length leaves space for its buttons beside it. */
const short = 90;

/** The user's message as typed. */
export function Prompt({ message }: { message: Message }) {
  const weft = useWeft();
  const { hold, disclosures, session, forks } = useReading();
  const editing = useStore(weft.shown, (state) => state.editing?.messageId === message.id);
  const article = useRef<HTMLElement>(null);
  const fork = forks.get(message.id);
  const close = useCallback(() => weft.shown.set({ editing: null }), [weft]);
  const edited = useRef(false);
  useLayoutEffect(() => {
    if (edited.current && !editing) article.current?.focus({ preventScroll: true });
    edited.current = editing;
  }, [editing]);
  const open = useDisclosure(disclosures, message.id) ?? false;
  const arrives = useJustArrived(message.createdAt);
  const text = message.segments.flatMap((s) => (s.type === 'text' ? [s.text.toString()] : [])).join('\n');
  const cut = shortened(text);
  const words = useRef<HTMLParagraphElement>(null);
  const isCut = useOverflow(words, open ? text : cut) || cut.length < text.length;
  if (editing) {
    return (
      <article ref={article} className="row prompt" data-editing aria-label={t('transcript.you')}>
        <PromptEditor message={message} onClose={close} />
      </article>
    );
  }
  return (
    <article
      ref={article}
      className="row prompt"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a prompt has keys of its own
      tabIndex={0}
      data-prompt={message.id}
      data-step={message.id}
      aria-keyshortcuts="e"
      data-arrives={arrives || undefined}
      data-wordless={text === '' || undefined}
      data-long={text.length > short || text.includes('\n') || undefined}
      aria-label={t('transcript.you')}
      onKeyDown={(event) => {
        const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
        if (fork === undefined || by === 0 || event.target !== event.currentTarget) return;
        if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        goBranch(weft, session.spaceId, fork, by);
      }}
    >
      {text !== '' && (
        <p
          ref={words}
          className="prompt-text"
          data-open={open || undefined}
          data-cut={(!open && isCut) || undefined}
        >
          <Lines text={open ? text : cut} />
        </p>
      )}
      {(isCut || open) && (
        <button
          type="button"
          className="text-button prompt-more"
          aria-expanded={open}
          onClick={() => {
            hold();
            disclosures.set(message.id, !open);
          }}
        >
          {open ? t('transcript.less') : t('transcript.more')}
        </button>
      )}
      <span className="prompt-tools">
        <button
          type="button"
          className="icon-button quiet"
          aria-label={t('editPrompt.action')}
          title={t('editPrompt.action')}
          onClick={() => {
            hold();
            weft.shown.set({ editing: { spaceId: session.spaceId, messageId: message.id } });
          }}
        >
          <Pencil size={13} aria-hidden />
        </button>
        <button
          type="button"
          className="icon-button quiet"
          aria-label={t('undoSince.action')}
          title={t('undoSince.action')}
          onClick={() => weft.dialogs.set({ undoSince: { spaceId: session.spaceId, messageId: message.id } })}
        >
          <Undo2 size={13} aria-hidden />
        </button>
        <button
          type="button"
          className="icon-button quiet"
          aria-label={t('link.message')}
          title={t('link.message')}
          onClick={() => copyLink(session.spaceId, messagePlace(message.id))}
        >
          <Link size={13} aria-hidden />
        </button>
        <button
          type="button"
          className="icon-button quiet"
          aria-label={t('export.message')}
          title={t('export.message')}
          onClick={() =>
            weft.dialogs.set({ exporting: { spaceId: session.spaceId, messageId: message.id, lastId: '' } })
          }
        >
          <Download size={13} aria-hidden />
        </button>
      </span>
      {fork !== undefined && <Switcher spaceId={session.spaceId} fork={fork} />}
      <time
        className="prompt-time tabular"
        dateTime={new Date(message.createdAt).toISOString()}
        title={exact(message.createdAt)}
      >
        {clock(message.createdAt)}
      </time>
      <MessageAttachments message={message} />
    </article>
  );
}

/** Reports whether a text overflows its box. Measured again when the width changes. */
function useOverflow(box: RefObject<HTMLElement | null>, text: string): boolean {
  const [over, setOver] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another height
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => setOver(overflows(element));
    look();
    if (typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, text]);
  return over;
}

function shortened(text: string): string {
  const start = text.length > longest * 1.3 ? text.slice(0, longest) : text;
  const lines = start.split('\n');
  return lines.length > mostLines * 1.3 ? lines.slice(0, mostLines).join('\n') : start;
}
