import { type RefObject, useLayoutEffect, useReducer } from 'react';
import type { Row } from './rows';

type Keyed = Pick<Row, 'key'>;

/** Reports whether rows were added or removed at the start, so that the first row is a different one. */
export function startMoved(before: readonly Keyed[], after: readonly Keyed[]): boolean {
  const was = before[0]?.key;
  const is = after[0]?.key;
  if (was === undefined || is === undefined || was === is) return false;
  return after.some((row) => row.key === was) || before.some((row) => row.key === is);
}

/**
 * Returns the intermediate state between two states of the rows. The list only compares their number, and is told at
 * which end they changed: if a page arrives at one end and rows are dropped at the other, it would take the sum for a
 * change at the start, and the view would jump. So first the start stays as it was, with everything after it updated.
 */
export function firstStep<R extends Keyed>(before: readonly R[], after: readonly R[]): readonly R[] {
  if (!startMoved(before, after)) return after;
  const first = after.findIndex(({ key }) => key === before[0]?.key);
  const held = before.findIndex(({ key }) => key === after[0]?.key);
  const step = first >= 0 ? after.slice(first) : [...before.slice(0, held), ...after];
  return step.length === before.length && step.at(-1)?.key === before.at(-1)?.key ? after : step;
}

/** Returns the rows to render after `before`: in two steps, before anything is painted, if both ends have changed. */
export function useSingleEndChange<R extends Keyed>(
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
