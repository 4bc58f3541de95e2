import type { Space, Wait } from '../transport/api';

/** Most serious first. */
export const inboxKinds = ['request', 'failed', 'finished'] as const;
export type InboxKind = (typeof inboxKinds)[number];

/** An item of the inbox. */
export interface InboxItem {
  key: string;
  space: Space;
  kind: InboxKind;
  /** What is requested, if the agent said so. */
  title: string;
  /** The request, including its effects. */
  wait?: Wait;
  at: number;
}

/** How many requests per space the backend lists; there may be more. */
const listed = 20;

/**
 * Lists what needs the user's attention in all spaces: requests first, oldest on top, then what failed or finished
 * since the user was there. A space with a pending request isn't listed again for how its runs ended.
 */
export function inboxOf(spaces: readonly Space[]): InboxItem[] {
  const requests: InboxItem[] = [];
  const ended: InboxItem[] = [];
  for (const space of spaces) {
    const waits = space.waits ?? [];
    for (const wait of waits) {
      const { requestId, title, at } = wait;
      requests.push({ key: requestId, space, kind: 'request', title, wait, at });
    }
    if (waits.length === 0 && space.unseen && (space.state === 'idle' || space.state === 'failed')) {
      const kind = space.state === 'failed' ? 'failed' : 'finished';
      ended.push({
        key: `${space.id}:${space.lastActivity}`,
        space,
        kind,
        title: '',
        at: space.lastActivity,
      });
    }
  }
  requests.sort((a, b) => a.at - b.at);
  ended.sort((a, b) => (a.kind === b.kind ? b.at - a.at : a.kind === 'failed' ? -1 : 1));
  return [...requests, ...ended];
}

/**
 * Counts the pending requests of all spaces. There may be more, because the backend lists only the first ones of a
 * space.
 */
export function countRequests(spaces: readonly Space[]): { count: number; more: boolean } {
  const counts = spaces.map(({ waits }) => (waits ?? []).length);
  return { count: counts.reduce((sum, one) => sum + one, 0), more: counts.some((one) => one >= listed) };
}

/**
 * Returns the index of an item, or -1. The outcome of a space stays the same item when the space is renamed or another
 * run ends.
 */
export function indexIn(list: readonly InboxItem[], entry: InboxItem | null): number {
  if (entry === null) return -1;
  const exact = list.findIndex(({ key }) => key === entry.key);
  if (exact >= 0 || entry.kind === 'request') return exact;
  return list.findIndex(({ kind, space }) => kind !== 'request' && space.id === entry.space.id);
}

/**
 * Returns the first item for a user who comes from a space: one of that space unless they have seen it, otherwise one
 * of another space.
 */
export function firstFor(
  list: readonly InboxItem[],
  spaceId: string | null,
  seen: boolean,
): InboxItem | null {
  const here = list.find(({ kind, space }) => kind === 'request' && space.id === spaceId);
  if (here !== undefined && !seen) return here;
  return list.find(({ space }) => space.id !== spaceId) ?? list[0] ?? null;
}
