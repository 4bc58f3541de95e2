import type { Space, Wait } from '../transport/api';

/** One thing that waits for the user. */
export interface Pending {
  key: string;
  space: Space;
  kind: 'request' | 'failed' | 'finished';
  /** What is asked, where the agent has said so. */
  title: string;
  /** The request, and with it what it would do. */
  wait?: Wait;
  at: number;
}

/**
 * What waits for the user in all spaces: requests first, the oldest on top, then what has failed
 * and what has finished since the user was there.
 */
export function inboxOf(spaces: readonly Space[]): Pending[] {
  const requests: Pending[] = [];
  const ended: Pending[] = [];
  for (const space of spaces) {
    for (const wait of space.waits ?? []) {
      const { requestId, title, at } = wait;
      requests.push({ key: requestId, space, kind: 'request', title, wait, at });
    }
    if (space.unseen && (space.state === 'idle' || space.state === 'failed')) {
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

/** The next space in which something waits: requests before what has ended, after the chosen space first. */
export function nextPending(spaces: readonly Space[], selected: string | null): Space | null {
  const order = inboxOf(spaces).map(({ space }) => space);
  return order.find(({ id }) => id !== selected) ?? order[0] ?? null;
}
