import { expect, it } from 'vitest';
import { cameSince, drawnAtEnd, keptFrom, none } from './above';

/** Rows of 40 pixels. */
const list = { findItemIndex: (offset: number) => Math.floor(offset / 40) };

it('keeps what was in the view until it is far above, and draws nothing for a view that moves up', () => {
  let from = none;
  const at = [1000, 1400, 1100, 1440].map((offset) => {
    from = keptFrom(list, from, 1, offset, 400);
    return from;
  });
  expect(at).toEqual([15, 25, 25, 26]);
});

it('keeps all that is above where that is little, and nothing without a list', () => {
  expect(keptFrom(list, none, 1, 120, 400)).toBe(0);
  expect(keptFrom(null, 3, 1, 120, 400)).toBe(none);
});

it('keeps nothing where more comes at once than is in view', () => {
  expect(keptFrom(list, 15, 10, 1000, 400)).toBe(15);
  expect(keptFrom(list, 15, 300, 1000, 400)).toBe(none);
});

it('draws what has come at the end, but no more than is in view', () => {
  expect([0, 1, 9, 400].map((came) => drawnAtEnd(came, 600))).toEqual([3, 3, 9, 20]);
  expect(drawnAtEnd(400, 0)).toBe(3);
});

it('counts what has come, also before a row that stays the last one', () => {
  const rows = (...keys: string[]) => keys.map((key) => ({ key }));
  expect(cameSince(rows('a', 'b', 'tail'), rows('a', 'b', 'c', 'd', 'tail'))).toBe(2);
  expect(cameSince(rows('a', 'b'), rows('x', 'y', 'z'))).toBe(3);
  expect(cameSince([], rows('x', 'y'))).toBe(2);
});
