import { type Conversation, memberOf } from '../transcript/model';
import type { Json } from '../transcript/types';
import type { QueuedPrompt } from '../transport/api';
import { runOfMember } from './members';
import { offeredOf } from './offered';

// The queued prompts of a space, which wait until their member ends its turn.

/** Why prompts wait although their member is idle. */
export type PauseReason = 'failed' | 'stopped' | 'signIn' | 'waiting';

export interface Pause {
  memberId: string;
  why: PauseReason;
  /** The prompt that is sent first when the member continues. */
  next: QueuedPrompt;
}

export function promptsOf(value: Json | undefined): QueuedPrompt[] {
  return Array.isArray(value) ? (value as unknown as QueuedPrompt[]) : [];
}

/**
 * Returns members whose prompts wait for the user: after a failed turn, the backend sends nothing automatically, and
 * prompts held back by a stop wait even while the member does other work. Without such a turn the reason is 'waiting',
 * for example after a restart, or briefly until the next turn starts.
 */
export function pausesOf(
  prompts: readonly QueuedPrompt[],
  conversation: Pick<Conversation, 'messages' | 'runs' | 'state'>,
): Pause[] {
  const members = [...new Set(prompts.map(({ memberId }) => memberId))];
  return members.flatMap((memberId) => {
    const works = runOfMember(conversation.runs, memberId) !== undefined;
    const next = prompts.find((prompt) => prompt.memberId === memberId && (!works || prompt.held === true));
    if (next === undefined) return [];
    const why = reasonFor(memberId, conversation);
    return [{ memberId, why: next.held === true && why !== 'signIn' ? 'stopped' : why, next }];
  });
}

function reasonFor(memberId: string, conversation: Pick<Conversation, 'messages' | 'state'>): PauseReason {
  if (offeredOf(conversation, memberId)?.signIn === true) return 'signIn';
  const last = conversation.messages.findLast(
    ({ role, author }) => role === 'agent' && memberOf(author) === memberId,
  );
  if (last?.error !== undefined) return 'failed';
  return last?.stopReason === 'cancelled' ? 'stopped' : 'waiting';
}

/** Moves an id before another one, or to the end if that is ''. */
export function withMoved(ids: readonly string[], id: string, before: string): string[] {
  if (id === before) return [...ids];
  const rest = ids.filter((one) => one !== id);
  const at = before === '' ? rest.length : rest.indexOf(before);
  return at < 0 || rest.length === ids.length ? [...ids] : rest.toSpliced(at, 0, id);
}

/** Returns the id before which to insert when moving a prompt by one; null if it is already first or last. */
export function beforeFor(ids: readonly string[], id: string, by: -1 | 1): string | null {
  const at = ids.indexOf(id);
  const to = at + by;
  if (at < 0 || to < 0 || to >= ids.length) return null;
  return by < 0 ? (ids[to] ?? null) : (ids[to + 1] ?? '');
}

/** Returns the id before which a prompt is dropped: the first one whose center is below the pointer; '' for the end. */
export function beforeAt(others: readonly { id: string; middle: number }[], y: number): string {
  return others.find(({ middle }) => y < middle)?.id ?? '';
}
