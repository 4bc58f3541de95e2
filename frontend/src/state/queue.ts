import { type Conversation, memberOf } from '../transcript/model';
import type { Json } from '../transcript/types';
import type { QueuedPrompt } from '../transport/api';
import { runOfMember } from './members';
import { offeredOf } from './offered';

// The prompts of a space that wait until their member has ended its turn.

/** Why prompts wait though their member does nothing. */
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
 * The members whose prompts wait for the user: after a turn that failed, the backend sends nothing by itself, and what a stop has held waits even
 * while the member works on something else. Without such a turn it is 'waiting', for instance after Weft was closed, or for the moment until the
 * next turn begins.
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

/** The ids with one of them before another one, or at the end where that is ''. */
export function withMoved(ids: readonly string[], id: string, before: string): string[] {
  if (id === before) return [...ids];
  const rest = ids.filter((one) => one !== id);
  const at = before === '' ? rest.length : rest.indexOf(before);
  return at < 0 || rest.length === ids.length ? [...ids] : rest.toSpliced(at, 0, id);
}

/** Before which prompt another one is moved by one place, or null where it is first or last already. */
export function beforeFor(ids: readonly string[], id: string, by: -1 | 1): string | null {
  const at = ids.indexOf(id);
  const to = at + by;
  if (at < 0 || to < 0 || to >= ids.length) return null;
  return by < 0 ? (ids[to] ?? null) : (ids[to + 1] ?? '');
}

/** Before which of the others a prompt is dropped: the first one whose middle is below the pointer; '' is behind all. */
export function beforeAt(others: readonly { id: string; middle: number }[], y: number): string {
  return others.find(({ middle }) => y < middle)?.id ?? '';
}
