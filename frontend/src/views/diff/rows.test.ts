import { describe, expect, it } from 'vitest';
import type { ChangeDiff } from '../../transport/api';
import { linesOf, type Row, rowsOf, sidesOf } from './rows';
import { changedWords } from './words';

const numbered = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}\n`).join('');

function diff(text: string, hunks: Partial<NonNullable<ChangeDiff['hunks']>[number]>[]): ChangeDiff {
  const whole = { oldStart: 1, newStart: 1, newLines: 0, old: '', conflict: false, now: '', nowStart: 1 };
  return { text, hunks: hunks.map((hunk) => ({ ...whole, ...hunk })) } as ChangeDiff;
}

function drawn(of: ChangeDiff, split = false, open: number[] = []): string[] {
  const sides = sidesOf(of);
  const text = (side: 'old' | 'new', line: number) => (sides[side][line] ?? '?').trimEnd();
  const line = (row: Row): string => {
    switch (row.kind) {
      case 'hunk':
        return `@${row.hunk}`;
      case 'fold':
        return `… ${row.lines} from ${row.from}`;
      case 'label':
        return `(${row.what})`;
      case 'now':
        return `! ${row.line} ${row.text.trimEnd()}`;
      case 'line':
        return `${{ same: ' ', removed: '-', added: '+' }[row.cell.type]} ${text(row.cell.side, row.cell.line)}`;
      case 'pair':
        return [row.left, row.right]
          .map((cell) => (cell === null ? '' : `${cell.line + 1} ${text(cell.side, cell.line)}`))
          .join(' | ');
    }
  };
  return rowsOf(sides, split, new Set(open)).map(line);
}

describe('rows of a diff', () => {
  it('keeps what ends a line', () => {
    expect(linesOf('a\r\nb\n\nc')).toEqual(['a\r\n', 'b\n', '\n', 'c']);
    expect(linesOf('')).toEqual([]);
  });

  it('folds what did not change', () => {
    const of = diff(numbered(30), [{ newStart: 15, newLines: 1, old: 'was\n' }]);
    expect(drawn(of)).toEqual([
      '… 11 from 0',
      '  line 12',
      '  line 13',
      '  line 14',
      '@0',
      '- was',
      '+ line 15',
      '  line 16',
      '  line 17',
      '  line 18',
      '… 12 from 18',
    ]);
    expect(drawn(of, false, [0, 18])).toHaveLength(32);
  });

  it('puts both sides beside each other', () => {
    const of = diff('a\nB\nC\nd\n', [{ newStart: 2, newLines: 2, old: 'b\n' }]);
    expect(drawn(of, true)).toEqual(['1 a | 1 a', '@0', '2 b | 2 B', ' | 3 C', '3 d | 4 d']);
  });

  it('shows three texts where somebody has edited since', () => {
    const of = diff('a\nB\n', [
      { newStart: 2, newLines: 1, old: 'b\n', conflict: true, now: 'mine\n', nowStart: 2 },
    ]);
    expect(drawn(of, true).slice(1)).toEqual([
      '@0',
      '(before)',
      '- b',
      '(agentLeft)',
      '+ B',
      '(now)',
      '! 2 mine',
    ]);
  });

  it('draws a new and a deleted file', () => {
    expect(drawn(diff('a\nb', [{ newStart: 1, newLines: 2 }]))).toEqual(['@0', '+ a', '+ b']);
    expect(drawn(diff('', [{ newStart: 1, newLines: 0, old: 'a\n' }]))).toEqual(['@0', '- a']);
  });
});

describe('words', () => {
  it('that changed are told', () => {
    expect(changedWords('return a + b;', 'return a - b;')).toEqual({
      old: [{ from: 9, to: 10 }],
      new: [{ from: 9, to: 10 }],
    });
  });
  it('are not told where lines have nothing in common', () => {
    expect(changedWords('one two three', 'four five six')).toEqual({ old: [], new: [] });
  });
});
