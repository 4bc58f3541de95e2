import { describe, expect, it } from 'vitest';
import { anchorAt, isKept } from './anchor';

/** A list of rows of these heights. */
function listOf(heights: readonly number[]) {
  const rows = heights.map((_, i) => ({ key: `r${i}` }));
  const getItemOffset = (index: number) => heights.slice(0, index).reduce((sum, height) => sum + height, 0);
  const findItemIndex = (offset: number) =>
    Math.max(
      heights.findLastIndex((_, i) => getItemOffset(i) <= offset),
      0,
    );
  return { rows, list: { getItemOffset, findItemIndex } };
}

describe('what is at the top of the view', () => {
  const before = listOf([40, 40, 40, 40, 40]);
  const anchor = anchorAt(before.list, before.rows, 90);

  it('is kept where the list moves the view by what it has measured above', () => {
    expect(anchor).toEqual({ key: 'r2', top: -10 });
    const after = listOf([40, 20, 40, 60, 40]);
    expect(isKept(anchor, after.list, after.rows, 70)).toBe(true);
  });

  it('is not where somebody moves the view', () => {
    expect(isKept(anchor, before.list, before.rows, 70)).toBe(false);
    expect(isKept(anchor, before.list, [{ key: 'x' }], 90)).toBe(false);
    expect(isKept(null, before.list, before.rows, 90)).toBe(false);
    expect(isKept(anchor, null, before.rows, 90)).toBe(false);
  });

  it('is nothing without rows', () => {
    expect(anchorAt(before.list, [], 0)).toBeNull();
    expect(anchorAt(null, before.rows, 0)).toBeNull();
  });
});
