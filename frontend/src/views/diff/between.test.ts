import { expect, it } from 'vitest';
import { Random } from '../../markdown/testing/random';
import { linesOf, rowsOf, shortened, sidesBetween } from './rows';

const numbered = (n: number, word: string) => Array.from({ length: n }, (_, i) => `${word} ${i}\n`).join('');

it('shows the beginning of both sides, and counts the rest of each', () => {
  const sides = sidesBetween(`a\n${numbered(60, 'old')}z\n`, `a\n${numbered(60, 'new')}z\n`);
  const rows = rowsOf(sides, false, new Set());
  const short = shortened(rows, sides, 8, new Set());
  const kinds = short.map((row) => (row.kind === 'line' ? row.cell.type : row.kind));
  expect(kinds.filter((kind) => kind === 'removed')).toHaveLength(8);
  expect(kinds.filter((kind) => kind === 'added')).toHaveLength(8);
  const rests = short.flatMap((row) => (row.kind === 'rest' ? [row] : []));
  expect(rests.map(({ type, lines }) => [type, lines])).toEqual([
    ['removed', 52],
    ['added', 52],
  ]);
  expect(rests[0]?.chars).toBe(numbered(60, 'old').length - numbered(8, 'old').length);
  const open = shortened(rows, sides, 8, new Set(rests.map(({ from }) => from)));
  expect(open).toEqual(rows);
});

it('tells a missing last line break as a change', () => {
  expect(sidesBetween('a\n', 'a').hunks).toHaveLength(1);
  expect(sidesBetween('a\n', 'a\n').hunks).toHaveLength(0);
});

it('draws every changed line of any two texts, in one column and in two', () => {
  const random = new Random(5);
  const text = () =>
    Array.from({ length: random.below(30) }, () => 'abcdef'.charAt(random.below(6))).join('\n') +
    (random.next() < 0.5 ? '\n' : '');
  for (let i = 0; i < 300; i++) {
    const [before, after] = [text(), text()];
    const sides = sidesBetween(before, after);
    expect(sides.old.join('')).toBe(before);
    expect(sides.new.join('')).toBe(after);
    for (const split of [false, true]) {
      const seen = { old: new Set<number>(), new: new Set<number>() };
      for (const row of rowsOf(sides, split, new Set()))
        for (const cell of row.kind === 'line'
          ? [row.cell]
          : row.kind === 'pair'
            ? [row.left, row.right]
            : [])
          if (cell !== null && cell.type !== 'same') seen[cell.side].add(cell.line);
      const removed = sides.hunks.reduce((n, { old }) => n + linesOf(old).length, 0);
      const added = sides.hunks.reduce((n, { newLines }) => n + newLines, 0);
      expect([seen.old.size, seen.new.size]).toEqual([removed, added]);
      expect(before.length === 0 || sides.old.length - removed).toBe(
        before.length === 0 || sides.new.length - added,
      );
    }
  }
});
