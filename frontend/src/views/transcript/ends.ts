import { type RefObject, useLayoutEffect, useReducer } from 'react';
import type { Row } from './rows';

type Keyed = Pick<Row, 'key'>;

/** Whether rows came or went at the start: the row that was first is not the first one any more. */
export function startMoved(before: readonly Keyed[], after: readonly Keyed[]): boolean {
  const was = before[0]?.key;
  const is = after[0]?.key;
  if (was === undefined || is === undefined || was === is) return false;
  return after.some((row) => row.key === was) || before.some((row) => row.key === is);
}

/**
 * What has to be drawn between two states of the rows. The list counts only how many there are, and is told at which end they changed: where a page
 * comes at one end and what is far away is dropped at the other, it would take the sum for a change at the start, and the view
 * would jump. So the start stays as it was first, and everything behind it is as it is now.
 */
export function firstStep<R extends Keyed>(before: readonly R[], after: readonly R[]): readonly R[] {
  if (!startMoved(before, after)) return after;
  const first = after.findIndex(({ key }) => key === before[0]?.key);
  const held = before.findIndex(({ key }) => key === after[0]?.key);
  const step = first >= 0 ? after.slice(first) : [...before.slice(0, held), ...after];
  return step.length === before.length && step.at(-1)?.key === before.at(-1)?.key ? after : step;
}

/** The rows to draw after those `before`: in two steps, before anything is painted, where both ends have changed. */
export function useOneEnd<R extends Keyed>(
  before: RefObject<readonly R[]>,
  rows: readonly R[],
): readonly R[] {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const now = firstStep(before.current, rows);
  useLayoutEffect(() => {
    if (now !== rows) draw();
  }, [now, rows]);
  return now;
}
