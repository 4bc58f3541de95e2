// @vitest-environment jsdom
import { act, renderHook } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { Columns } from './columns';
import { asCsv, asMarkdown, asTsv } from './copy';
import { Filter } from './order';
import { nothing, pick, pressed, rowOrder } from './selection';
import { useTable } from './useTable';
import { fieldOf } from './values';

function columnsOf(columns: unknown, rows: readonly unknown[]) {
  return new Columns().read(columns, rows, false);
}

/** The order of a table's rows after clicking a column header a number of times. */
function order(input: { columns?: unknown; rows: readonly unknown[] }, clicks: number, query = '') {
  const { result } = renderHook(() => useTable(input, false));
  for (let i = 0; i < clicks; i++) {
    const [column] = result.current.columns;
    if (column === undefined) throw new Error('a column');
    act(() => result.current.sortBy(column));
  }
  act(() => result.current.setQuery(query));
  const { standing, rows, sort } = result.current;
  return { sort, rows: Array.from({ length: standing.length }, (_, place) => rows[standing.at(place)]) };
}

function sort(values: readonly unknown[], type: string, clicks = 1) {
  const rows = values.map((v, n) => ({ v, n }));
  return order({ columns: [{ key: 'v', type }], rows }, clicks).rows.map((row) => (row as { v: unknown }).v);
}

describe('sorting', () => {
  it('goes by kind', () => {
    expect(sort(['10', '9', 'x'], 'number')).toEqual(['9', '10', 'x']);
    expect(sort(['€ 1,000', '€ 20.50', '€ 3'], 'money')).toEqual(['€ 3', '€ 20.50', '€ 1,000']);
    expect(sort(['2026-02-01', '2025-12-31', 'soon'], 'date')).toEqual(['2025-12-31', '2026-02-01', 'soon']);
    expect(sort(['file 10', 'File 9', 'äpfel', 'zebra'], 'text')).toEqual([
      'äpfel',
      'File 9',
      'file 10',
      'zebra',
    ]);
    expect(sort([true, false, true], 'boolean')).toEqual([false, true, true]);
  });

  it('is stable in both directions, and empty cells stand last in both', () => {
    const rows = [{ v: 1, n: 'a' }, { v: null, n: 'b' }, { v: 1, n: 'c' }, { v: 0, n: 'd' }, { n: 'e' }];
    const names = (clicks: number) =>
      order({ rows }, clicks)
        .rows.map((row) => (row as { n: string }).n)
        .join('');
    expect(names(1)).toBe('dacbe');
    expect(names(2)).toBe('acdbe');
  });

  it('has three states', () => {
    const rows = [{ v: 2 }, { v: 1 }];
    const states = [0, 1, 2, 3].map((clicks) => order({ rows }, clicks).sort?.direction);
    expect(states).toEqual([undefined, 'ascending', 'descending', undefined]);
  });

  it('takes columns that are named like properties', () => {
    for (const key of ['__proto__', 'constructor', 'toString', '']) {
      const rows = [3, 1, 2].map((value) => Object.fromEntries([[key, value]]));
      expect(order({ columns: [key], rows }, 1).rows.map((row) => fieldOf(row, key))).toEqual([1, 2, 3]);
    }
  });
});

describe('the filter', () => {
  it('finds every word in any column, without case and marks', () => {
    const rows = [
      { a: 'Café au lait', b: 1 },
      { a: 'Tea', b: 12 },
      { a: { deep: 'cafe' }, b: 2 },
    ];
    const found = (query: string, clicks = 0) =>
      order({ rows }, clicks, query).rows.map((row) => rows.indexOf(row as (typeof rows)[0]));
    expect(found('CAFE')).toEqual([0, 2]);
    expect(found('lait 1')).toEqual([0]);
    expect(found('.*')).toEqual([]);
    expect(found('t')).toEqual([0, 1]);
    expect(found('t', 2)).toEqual([1, 0]);
  });

  it('looks at each row once, however many columns there are', () => {
    const columns = Array.from({ length: 20 }, (_, i) => `c${i}`);
    const rows = Array.from({ length: 50 }, () => Object.fromEntries(columns.map((key) => [key, 'x'])));
    const looks = vi.spyOn(Filter.prototype, 'matches');
    expect(order({ columns, rows }, 0, 'nothing').rows).toEqual([]);
    expect(looks).toHaveBeenCalledTimes(rows.length);
  });

  it('does nothing with rows that stay as they came', () => {
    const looks = vi.spyOn(Filter.prototype, 'matches');
    order({ rows: [{ a: 1 }, { a: 2 }] }, 0);
    expect(looks).not.toHaveBeenCalled();
  });
});

describe('copying', () => {
  const rows = [
    { a: 'x\ty', b: '=1+1' },
    { a: 'say "hi"\nnow', b: -5 },
    { a: '| <b> \\', b: '-5' },
  ];
  const columns = columnsOf(['a', 'b'], rows);

  it('quotes for a spreadsheet, and arms no formula', () => {
    expect(asTsv(columns, rows)).toBe('a\tb\n"x\ty"\t\'=1+1\n"say ""hi""\nnow"\t-5\n| <b> \\\t-5');
    expect(asCsv(columns, [{ a: 'p,q', b: '@x' }])).toBe('a,b\r\n"p,q",\'@x\r\n');
  });

  it('keeps a Markdown table a table', () => {
    expect(asMarkdown(columns, rows).split('\n')).toEqual([
      '| a | b |',
      '| --- | --- |',
      '| x\ty | =1+1 |',
      '| say "hi"<br>now | -5 |',
      '| \\| &lt;b> \\\\ | -5 |',
    ]);
  });
});

describe('choosing rows', () => {
  const key = (name: string, more: object = {}) => ({
    key: name,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    ...more,
  });
  const rows = rowOrder([4, 2, 0, 3, 1], 5);

  it('moves, chooses and extends through the rows as they stand', () => {
    const down = pressed(nothing, key('ArrowDown'), rows, 3);
    expect(down?.active).toBe(4);
    const space = pressed(down ?? nothing, key(' '), rows, 3);
    expect([...(space?.chosen ?? [])]).toEqual([4]);
    const wide = pressed(space ?? nothing, key('PageDown', { shiftKey: true }), rows, 3);
    expect([...(wide?.chosen ?? [])]).toEqual([4, 2, 0, 3]);
    expect(pressed(wide ?? nothing, key('Escape'), rows, 3)?.chosen.size).toBe(0);
    expect(pressed(nothing, key('a', { ctrlKey: true }), rows, 3)?.chosen.size).toBe(5);
  });

  it('leaves other keys alone', () => {
    expect(pressed(nothing, key('Escape'), rows, 3)).toBeNull();
    expect(pressed(nothing, key('x'), rows, 3)).toBeNull();
    expect(pressed(nothing, key('ArrowDown'), rowOrder(null, 0), 3)).toBeNull();
  });

  it('lets a click on the only chosen row go of it', () => {
    const once = pick(nothing, 2, 'only', rows);
    expect(pick(once, 2, 'only', rows).chosen.size).toBe(0);
    expect([...pick(once, 3, 'range', rows).chosen]).toEqual([2, 0, 3]);
  });
});
