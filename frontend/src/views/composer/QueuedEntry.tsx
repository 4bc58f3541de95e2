import { ArrowUp, GripVertical, Paperclip, Pencil, X } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, type ReactNode, useState } from 'react';
import { editQueued, removeQueued, sendQueued } from '../../commands/prompts';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { tonesOf } from '../../state/memberLook';
import { isShared } from '../../state/members';
import { useWeft } from '../../state/weft';
import type { Member, QueuedPart, QueuedPrompt, Space } from '../../transport/api';
import { Monogram } from '../members/Monogram';
import { oneLine } from '../parts/clean';
import { firstClick } from '../parts/firstClick';
import { Lines } from '../parts/Lines';
import { returnFocus } from '../parts/returnFocus';
import { Tooltip } from '../parts/Tooltip';
import { QueuedField } from './QueuedField';

/** More characters than its few lines can show. */
const longest = 2000;

interface QueuedEntryProps {
  prompt: QueuedPrompt;
  space: Space;
  /** Its member is idle, so it can be sent. */
  idle: boolean;
  /** It was removed, and its text is where the arrow keys of the message field find it. */
  onKept(): void;
  /** How to move it, if there are several. */
  order?: {
    handle: Pick<
      ComponentProps<'button'>,
      'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel'
    >;
    dragged: boolean;
    /** The dragged prompt would be inserted before it. */
    target: boolean;
    onStep(by: -1 | 1): void;
    /** Explains how to move it. */
    onHelp(): void;
  };
}

/** A queued prompt: its text, recipient and actions. */
export function QueuedEntry({ prompt, space, idle, onKept, order }: QueuedEntryProps) {
  const weft = useWeft();
  const [editing, setEditing] = useState(false);
  const ref = { spaceId: space.id, promptId: prompt.id };
  const save = (text: string) => {
    setEditing(false);
    const changed = text.trim();
    if (changed === '' || changed === prompt.text) return;
    void weft.attempt(t('failed.queue'), () => editQueued(weft, ref, changed));
  };
  const remove = async () => {
    await removeQueued(weft, ref);
    returnFocus();
    if (prompt.text.trim() === '' || prompt.from !== '') return;
    weft.drafts.keepAside(space.id, prompt.text);
    onKept();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null;
    if (by === null || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (editing || order === undefined) return;
    // Elsewhere these keys go from message to message.
    event.preventDefault();
    event.stopPropagation();
    order.onStep(by);
  };
  return (
    <li
      className="queued"
      data-id={prompt.id}
      data-dragged={order?.dragged || undefined}
      data-target={order?.target || undefined}
      onKeyDown={onKeyDown}
    >
      {order !== undefined && (
        <Tooltip label={t('queue.moveTip')}>
          <button
            type="button"
            className="icon-button quiet queued-grip"
            aria-label={t('queue.move')}
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
            {...order.handle}
            onClick={order.onHelp}
          >
            <GripVertical size={14} aria-hidden />
          </button>
        </Tooltip>
      )}
      {editing ? (
        <QueuedField text={prompt.text} onSave={save} onCancel={() => setEditing(false)} />
      ) : (
        <div className="queued-body">
          {isShared(space) && <QueuedNames prompt={prompt} members={space.members} />}
          {prompt.text !== '' && (
            <p className="queued-text">
              <Lines text={prompt.text.slice(0, longest)} />
            </p>
          )}
          <QueuedAttachments parts={prompt.parts ?? []} />
        </div>
      )}
      {idle && !editing && (
        <Action
          label={t('queue.sendNow')}
          onClick={() => void weft.attempt(t('failed.send'), () => sendQueued(weft, ref, prompt.text))}
        >
          <ArrowUp size={14} aria-hidden />
        </Action>
      )}
      {/* A prompt that is already part of the conversation can't be edited. */}
      {prompt.said === '' && (
        <Action label={t('queue.edit')} onClick={() => setEditing(true)}>
          <Pencil size={13} aria-hidden />
        </Action>
      )}
      <Action label={t('queue.remove')} onClick={() => void weft.attempt(t('failed.queue'), remove)}>
        <X size={14} aria-hidden />
      </Action>
    </li>
  );
}

function Action({ label, onClick, children }: { label: string; onClick(): void; children: ReactNode }) {
  return (
    <Tooltip label={label}>
      <button
        type="button"
        className="icon-button quiet"
        aria-label={label}
        // Entries move up when one is removed: a second click is not for the one that came under the pointer.
        onClick={firstClick(onClick)}
      >
        {children}
      </button>
    </Tooltip>
  );
}

/** The recipient of a prompt, and its author unless that is the user. */
function QueuedNames({ prompt, members }: { prompt: QueuedPrompt; members: readonly Member[] }) {
  const member = members.find(({ id }) => id === prompt.memberId);
  if (member === undefined) return null;
  const names = { name: oneLine(member.name), from: oneLine(prompt.from) };
  return (
    <p className="queued-names">
      <Monogram name={member.name} tone={tonesOf(members).get(member.id) ?? 1} small />
      {prompt.from === '' ? t('queue.for', names) : t('queue.between', names)}
    </p>
  );
}

/** The attachments of a queued prompt. */
function QueuedAttachments({ parts }: { parts: readonly QueuedPart[] }) {
  if (parts.length === 0) return null;
  const names = parts.map(({ path, name }) => oneLine(path ?? name ?? ''));
  return (
    <p className="queued-attachments" title={names.join('\n')}>
      <Paperclip size={12} aria-hidden />
      <span>{t('queue.along', { count: parts.length, names: joinFacts(names) })}</span>
    </p>
  );
}
