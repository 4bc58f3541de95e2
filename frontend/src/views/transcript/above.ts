import type { VirtualizerHandle } from 'virtua';

/** The first row that stays mounted above a view that follows the end, if there is none. */
export const none = Number.POSITIVE_INFINITY;

/** If this many rows arrive at once, most are never in view. */
const many = 10;

/** The number of added rows, if none changed at the start; all of them if the first one is different. */
export function cameSince(before: readonly { key: string }[], after: readonly { key: string }[]): number {
  return before[0]?.key === after[0]?.key ? after.length - before.length : after.length;
}

/** How many rows at the end are rendered before they are in view: new rows are measured and scrolled to at once. */
const coming = 3;

/** Hardly any row is lower than this, in pixels. */
const lowest = 30;

/**
 * How many rows at the end are rendered at once while following, after `came` have arrived: as many as a view of that
 * height shows. The list learns of the scroll in the next frame, and would paint an empty view until then.
 */
export function drawnAtEnd(came: number, view: number): number {
  return Math.max(coming, Math.min(came, Math.ceil(view / lowest)));
}

/**
 * The first row that stays mounted above a view that follows the end: rows that were in it, until they are further away
 * than `reach`, in pixels. `last` is the previous result, `came` the number of rows since. Rows added and removed at
 * the end, such as a request, also move the view up: nothing is rendered for that.
 */
export function keptFrom(
  list: Pick<VirtualizerHandle, 'findItemIndex'> | null,
  last: number,
  came: number,
  offset: number,
  reach: number,
): number {
  if (list === null || came > many) return none;
  const near = list.findItemIndex(Math.max(offset - reach, 0));
  return last === none ? near : Math.max(last, near);
}
