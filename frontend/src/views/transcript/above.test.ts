import { expect, it } from 'vitest';
import { keptFrom, none } from './above';

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
