import { describe, expect, it } from 'vitest';
import { firstStep, startMoved } from './ends';

const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ key: String(from + i) }));

describe('rows that change at both ends', () => {
  it('keep their start at first, where a page comes above and the end is dropped', () => {
    expect(firstStep(rows(10, 50), rows(0, 30))).toEqual(rows(10, 30));
  });

  it('keep their start at first, where a page comes below and the start is dropped', () => {
    expect(firstStep(rows(0, 30), rows(10, 50))).toEqual(rows(0, 50));
  });

  it('are drawn at once where only one end has changed, or nothing is left of what was there', () => {
    for (const [before, after] of [
      [rows(10, 50), rows(0, 50)],
      [rows(0, 50), rows(10, 50)],
      [rows(0, 50), rows(0, 30)],
      [rows(0, 50), rows(60, 90)],
      [[], rows(0, 9)],
      [rows(0, 9), []],
    ] as const)
      expect(firstStep(before, after)).toBe(after);
  });

  it('change at one end in each step, whatever they were, and are there after two', () => {
    const stretches = [0, 1, 2, 3, 4, 5].flatMap((from) =>
      [0, 1, 2, 3, 4, 5].map((more) => rows(from, from + more)),
    );
    for (const before of stretches)
      for (const after of stretches) {
        const step = firstStep(before, after);
        const last = firstStep(step, after);
        expect(last).toBe(after);
        for (const [one, next] of [
          [before, step],
          [step, last],
        ] as const)
          if (startMoved(one, next)) expect(one.at(-1)).toEqual(next.at(-1));
      }
  });
});
