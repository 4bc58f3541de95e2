import { ArrowUp, ListEnd, Paperclip, Pencil, X } from 'lucide-react';
import { useState } from 'react';
import { editQueued, removeQueued, sendQueued } from '../../commands/prompts';
import { t } from '../../i18n';
import { tonesOf } from '../../state/memberLook';
import { isShared, runOfMember } from '../../state/members';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Json } from '../../transcript/types';
import type { Member, QueuedPart, QueuedPrompt, Space } from '../../transport/api';
import { Monogram } from '../members/Monogram';
import { lines, oneLine } from '../parts/clean';

/** Prompts that wait for the turn to end. */
export function Queue({ session, space }: { session: Session; space: Space }) {
  const value = useStore(session.store, (state) => state.conversation.state['queue']);
  const runs = useStore(session.store, (state) => state.conversation.runs);
  const prompts = promptsOf(value);
  if (prompts.length === 0) return null;
  return (
    <section className="queue" aria-label={t('queue.label')}>
      <h2 className="queue-title">
        <ListEnd size={13} aria-hidden />
        {t('queue.title', { count: prompts.length })}
      </h2>
      <ul>
        {prompts.map((prompt) => (
          <Queued
            key={prompt.id}
            prompt={prompt}
            space={space}
            idle={runOfMember(runs, prompt.memberId) === undefined}
          />
        ))}
      </ul>
    </section>
  );
}

function promptsOf(value: Json | undefined): QueuedPrompt[] {
  return Array.isArray(value) ? (value as unknown as QueuedPrompt[]) : [];
}

function Queued({ prompt, space, idle }: { prompt: QueuedPrompt; space: Space; idle: boolean }) {
  const weft = useWeft();
  const [text, setText] = useState<string | null>(null);
  const ref = { spaceId: space.id, promptId: prompt.id };
  const save = () => {
    const changed = text?.trim() ?? '';
    setText(null);
    if (changed === '' || changed === prompt.text) return;
    void weft.attempt(t('failed.queue'), () => editQueued(weft, ref, changed));
  };
  const remove = () => void weft.attempt(t('failed.queue'), () => removeQueued(weft, ref));
  const sendNow = () => void weft.attempt(t('failed.send'), () => sendQueued(weft, ref, prompt.text));
  return (
    <li className="queued">
      {text === null ? (
        <div className="queued-body">
          {isShared(space) && <Between prompt={prompt} members={space.members} />}
          {prompt.text !== '' && <p className="queued-text">{lines(prompt.text)}</p>}
          <Along parts={prompt.parts ?? []} />
        </div>
      ) : (
        <textarea
          className="queued-field"
          aria-label={t('queue.edit')}
          value={text}
          rows={Math.min(6, text.split('\n').length)}
          // biome-ignore lint/a11y/noAutofocus: the user has just asked to edit it
          autoFocus
          onChange={(event) => setText(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey) {
              event.preventDefault();
              save();
            } else if (event.key === 'Escape') {
              event.stopPropagation();
              setText(null);
            }
          }}
        />
      )}
      {idle && text === null && (
        <button
          type="button"
          className="icon-button"
          aria-label={t('queue.sendNow')}
          title={t('queue.sendNow')}
          onClick={sendNow}
        >
          <ArrowUp size={14} aria-hidden />
        </button>
      )}
      {/* What stands in the conversation already cannot be said otherwise. */}
      {prompt.said === '' && (
        <button
          type="button"
          className="icon-button quiet"
          aria-label={t('queue.edit')}
          title={t('queue.edit')}
          onClick={() => setText(prompt.text)}
        >
          <Pencil size={13} aria-hidden />
        </button>
      )}
      <button
        type="button"
        className="icon-button quiet"
        aria-label={t('queue.remove')}
        title={t('queue.remove')}
        onClick={remove}
      >
        <X size={14} aria-hidden />
      </button>
    </li>
  );
}

/** For whom a prompt waits, and who wrote it where that was not the user. */
function Between({ prompt, members }: { prompt: QueuedPrompt; members: readonly Member[] }) {
  const member = members.find(({ id }) => id === prompt.memberId);
  if (member === undefined) return null;
  const names = { name: oneLine(member.name), from: oneLine(prompt.from) };
  return (
    <p className="queued-between">
      <Monogram name={member.name} tone={tonesOf(members).get(member.id) ?? 1} small />
      {prompt.from === '' ? t('queue.for', names) : t('queue.between', names)}
    </p>
  );
}

/** What goes along with a prompt that waits. */
function Along({ parts }: { parts: readonly QueuedPart[] }) {
  if (parts.length === 0) return null;
  const names = parts.map(({ path, name }) => oneLine(path ?? name ?? ''));
  return (
    <p className="queued-along" title={names.join('\n')}>
      <Paperclip size={12} aria-hidden />
      <span>{names.join(', ')}</span>
    </p>
  );
}
