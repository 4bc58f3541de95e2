import { describe, expect, it } from 'vitest';
import { Columns, mostColumns } from './columns';
import { cellOf, kindOf, numberOf, shown, timeOf } from './values';

const read = (columns: unknown, rows: readonly unknown[]) => new Columns().read(columns, rows, false);

describe('columns', () => {
  it('are derived from the rows, with kinds, in the order of appearance', () => {
    const columns = read(undefined, [
      { a: 1, b: 'x' },
      { b: 'y', c: true, d: '2026-01-02' },
    ]);
    expect(columns.map(({ key, kind, align }) => [key, kind, align])).toEqual([
      ['a', 'number', 'end'],
      ['b', 'text', 'start'],
      ['c', 'boolean', 'start'],
      ['d', 'date', 'start'],
    ]);
  });

  it('keep the first of two with the same key, and take names for whole columns', () => {
    const columns = read(
      [{ key: 'a', label: 'A' }, { key: 'a', label: 'Again' }, 'b', { label: 'c' }, 7, null],
      [],
    );
    expect(columns.map(({ key, label }) => [key, label])).toEqual([
      ['a', 'A'],
      ['b', 'b'],
      ['c', 'c'],
    ]);
  });

  it('say how many are not drawn', () => {
    const reader = new Columns();
    const row = Object.fromEntries(Array.from({ length: mostColumns + 5 }, (_, i) => [`c${i}`, i]));
    expect(reader.read(undefined, [row], false)).toHaveLength(mostColumns);
    expect(reader.hidden).toBe(5);
  });

  it('read nothing from a prototype, and own keys of any name', () => {
    const row: unknown = JSON.parse('{"__proto__": "own"}');
    const columns = read([{ key: '__proto__' }, { key: 'constructor' }, { key: 'toString' }], [row]);
    expect(columns.map((column) => cellOf(row, column))).toEqual(['own', undefined, undefined]);
  });

  it('stay the same array while rows come in that change nothing, and read each row once', () => {
    const reader = new Columns();
    let reads = 0;
    const ownKeys = (target: object) => {
      reads++;
      return Reflect.ownKeys(target);
    };
    const row = (n: number): unknown => new Proxy({ a: n }, { ownKeys });
    const rows = [row(1), row(2)];
    const first = reader.read(undefined, rows, true);
    for (let n = 3; n < 50; n++) {
      rows.push(row(n));
      expect(reader.read(undefined, [...rows], true)).toBe(first);
    }
    // Each row once, and again while it was the last one.
    expect(reads).toBeLessThanOrEqual(2 * rows.length);
  });

  it('are new when the input turned out to be another', () => {
    const reader = new Columns();
    reader.read(undefined, [{ a: 1 }, { a: 2 }], true);
    expect(reader.read(undefined, [{ b: 1 }], false).map(({ key }) => key)).toEqual(['b']);
  });

  it('have places where rows are lists or single values', () => {
    const [first, second] = read(undefined, [['x', 2], 'y']);
    if (first === undefined || second === undefined) throw new Error('two columns');
    expect([first.label, second.label]).toEqual(['1', '2']);
    expect([cellOf(['x', 2], second), cellOf('y', first), cellOf('y', second)]).toEqual([2, 'y', undefined]);
  });
});

describe('values', () => {
  it.each([
    ['1,200.50', 1200.5],
    ['1.200,50', 1200.5],
    ['€ 12', 12],
    ['12 %', 12],
    ['(3)', -3],
    ['−4', -4],
    ['1e3', 1000],
    ['3,5', 3.5],
    ['USD 7', 7],
  ])('%s is a number', (text, number) => expect(numberOf(text)).toBe(number));

  it.each(['', 'abc', '1-2', '12a', '0x10', '1,2,3', '2026-01-02'])('%s is none', (text) =>
    expect(numberOf(text)).toBeNaN(),
  );

  it('tells kinds', () => {
    expect([kindOf(1), kindOf(true), kindOf('2026-01-02T10:00:00Z'), kindOf('2026'), kindOf({})]).toEqual([
      'number',
      'boolean',
      'date',
      'text',
      'text',
    ]);
  });

  it('takes seconds and milliseconds', () => {
    expect(timeOf(1_700_000_000)).toBe(timeOf(1_700_000_000_000));
    expect(timeOf('nothing')).toBeNaN();
  });

  it('draws anything in one short line', () => {
    const [column] = read(undefined, [{ a: 'x' }]);
    if (column === undefined) throw new Error('a column');
    expect(shown('x'.repeat(1_000_000), column).length).toBeLessThan(400);
    expect(shown('a\u202eb\nc', column)).toBe('a\\u{202e}b c');
    expect(shown({ a: [1] }, column)).toBe('{"a":[1]}');
    expect([shown(null, column), shown(undefined, column), shown(Number.NaN, column)]).toEqual(['', '', '']);
  });

  it('groups thousands where a number was announced, and leaves years alone', () => {
    const [given] = read([{ key: 'a', type: 'number' }], []);
    const [guessed] = read(undefined, [{ a: 1 }]);
    if (given === undefined || guessed === undefined) throw new Error('columns');
    expect(shown(1234567.5, given)).toBe('1,234,567.5');
    expect(shown(-2026, guessed)).toBe('−2026');
  });
});
