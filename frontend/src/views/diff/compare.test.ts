import { describe, expect, it } from 'vitest';
import { Random } from '../../markdown/testing/random';
import { diffLines, hunks } from './compare';

const short = (a: string, b: string) =>
  diffLines(a, b).map(({ type, text }) => `${type === 'same' ? ' ' : type === 'added' ? '+' : '-'}${text}`);

describe('the line diff', () => {
  it('shows what was removed and added in place', () => {
    expect(short('a\nb\nc\n', 'a\nB\nc\n')).toEqual([' a', '-b', '+B', ' c']);
    expect(short('', 'x\ny\n')).toEqual(['+x', '+y']);
    expect(short('x\n', '')).toEqual(['-x']);
    expect(short('a\nb\nc\nd', 'b\nc\nx\nd')).toEqual(['-a', ' b', ' c', '+x', ' d']);
  });

  it('rebuilds both sides, whatever they are', () => {
    const random = new Random(7);
    for (let round = 0; round < 300; round++) {
      const side = () =>
        Array.from({ length: random.below(12) }, () => 'abcd'.charAt(random.below(4))).join('\n');
      const [a, b] = [side(), side()];
      const lines = diffLines(a, b);
      const rebuilt = (leave: string) =>
        lines
          .filter(({ type }) => type !== leave)
          .map(({ text }) => text)
          .join('\n');
      expect(rebuilt('added')).toBe(a);
      expect(rebuilt('removed')).toBe(b);
    }
  });

  it('numbers the lines of both sides', () => {
    expect(diffLines('a\nb', 'a\nx\nb').map(({ before, after }) => [before, after])).toEqual([
      [1, 1],
      [null, 2],
      [2, 3],
    ]);
    expect(diffLines('a\nb', 'a\nx\nb', 41).map(({ before, after }) => [before, after])).toEqual([
      [41, 41],
      [null, 42],
      [42, 43],
    ]);
  });

  it('stays quick where everything differs', () => {
    const many = (prefix: string) => Array.from({ length: 4000 }, (_, i) => `${prefix}${i}`).join('\n');
    expect(diffLines(many('a'), many('b'))).toHaveLength(8000);
  });

  it('keeps three lines around each change', () => {
    const old = Array.from({ length: 40 }, (_, i) => `l${i}`);
    const parts = hunks(diffLines(old.join('\n'), old.with(5, 'x').with(30, 'y').join('\n')));
    expect(parts.map(({ lines }) => lines.length)).toEqual([8, 8]);
    const near = hunks(diffLines(old.join('\n'), old.with(5, 'x').with(9, 'y').join('\n')));
    expect(near).toHaveLength(1);
    expect(near[0]?.lines.map(({ text }) => text)).toEqual([
      'l2',
      'l3',
      'l4',
      'l5',
      'x',
      'l6',
      'l7',
      'l8',
      'l9',
      'y',
      'l10',
      'l11',
      'l12',
    ]);
  });
});
