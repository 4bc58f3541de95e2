import type { VirtualizerHandle } from 'virtua';

/** The first of the rows that stay drawn above a view that follows the end, where none do. */
export const none = Number.POSITIVE_INFINITY;

/** Of so many rows that come at once, most are never in view. */
const many = 10;

/** How many rows have come, where none came or went at the start: all of them, where the first one is another. */
export function cameSince(before: readonly { key: string }[], after: readonly { key: string }[]): number {
  return before[0]?.key === after[0]?.key ? after.length - before.length : after.length;
}

/** So many rows at the end are drawn also where they aren't in view yet: what comes is measured and scrolled to at once. */
const coming = 3;

/** Hardly a row is lower than this, in pixels. */
const lowest = 30;

/**
 * How many rows at the end are drawn at once where it is followed, when `came` have come since: as many as a view of that height shows. The list
 * hears in the next frame that the view has moved there, and what is painted until then would be empty.
 */
export function drawnAtEnd(came: number, view: number): number {
  return Math.max(coming, Math.min(came, Math.ceil(view / lowest)));
}

/**
 * The first of the rows that stay drawn above a view which follows the end: those that were in it, until they are further away than `reach`, in
 * pixels. `last` is what it was before, `came` how many rows have come since. What comes and goes at the end, such as a request, moves the view
 * up, too: nothing is drawn for that.
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
