import type { VirtualizerHandle } from 'virtua';

/** The first of the rows that stay drawn above a view that follows the end, where none do. */
export const none = Number.POSITIVE_INFINITY;

/** Of so many rows that come at once, most are never in view. */
const many = 10;

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
