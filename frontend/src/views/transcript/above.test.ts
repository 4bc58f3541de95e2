import { expect, it } from 'vitest';
import { keptFrom, none } from './above';

/** Rows of 40 pixels. */
const list = { findItemIndex: (offset: number) => Math.floor(offset / 40) };

it('keeps what was in the view until it is far above, and draws nothing for a view that moves up', () => {
  let from = none;
  const at = [1000, 1400, 1100, 1440].map((offset) => {
    from = keptFrom(list, from, offset, 400);
    return from;
  });
  expect(at).toEqual([15, 25, 25, 26]);
});

it('keeps all that is above where that is little, and nothing without a list', () => {
  expect(keptFrom(list, none, 120, 400)).toBe(0);
  expect(keptFrom(null, 3, 120, 400)).toBe(none);
});
