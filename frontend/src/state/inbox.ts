import type { Space, Wait } from '../transport/api';

/** In the order of their gravity. */
export const inboxKinds = ['request', 'failed', 'finished'] as const;
export type InboxKind = (typeof inboxKinds)[number];

/** One thing that waits for the user. */
export interface Pending {
  key: string;
  space: Space;
  kind: InboxKind;
  /** What is asked, where the agent has said so. */
  title: string;
  /** The request, and with it what it would do. */
  wait?: Wait;
  at: number;
}

/** So many requests of a space the backend lists; there may be more. */
const listed = 20;

/**
 * What waits for the user in all spaces: requests first, the oldest on top, then what has failed
 * and what has finished since the user was there. A space in which a request waits is not listed for how its runs ended.
 */
export function inboxOf(spaces: readonly Space[]): Pending[] {
  const requests: Pending[] = [];
  const ended: Pending[] = [];
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

/** How many requests wait in all spaces. There may be more: the backend lists only the first of a space. */
export function requestsIn(spaces: readonly Space[]): { count: number; more: boolean } {
  const counts = spaces.map(({ waits }) => (waits ?? []).length);
  return { count: counts.reduce((sum, one) => sum + one, 0), more: counts.some((one) => one >= listed) };
}

/**
 * Where an entry is in the list, or -1. How a space ended stays the same entry for the reader when the space is renamed
 * or its runs end once more.
 */
export function indexIn(list: readonly Pending[], entry: Pending | null): number {
  if (entry === null) return -1;
  const exact = list.findIndex(({ key }) => key === entry.key);
  if (exact >= 0 || entry.kind === 'request') return exact;
  return list.findIndex(({ kind, space }) => kind !== 'request' && space.id === entry.space.id);
}

/** The first entry for a user who comes from a space: what waits there, unless they were at it, then what waits elsewhere. */
export function firstFor(list: readonly Pending[], spaceId: string | null, seen: boolean): Pending | null {
  const here = list.find(({ kind, space }) => kind === 'request' && space.id === spaceId);
  if (here !== undefined && !seen) return here;
  return list.find(({ space }) => space.id !== spaceId) ?? list[0] ?? null;
}
