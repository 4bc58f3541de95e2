import {
  type ColumnDef,
  columnFilteringFeature,
  createFilteredRowModel,
  createSortedRowModel,
  globalFilteringFeature,
  rowSortingFeature,
  type SortFn,
  tableFeatures,
} from '@tanstack/react-table';
import { byName } from '../../../i18n/formats';
import type { Column } from './column';
import { cellOf, numberOf, plain, shown, timeOf } from './values';

export type Direction = 'ascending' | 'descending';

/** A row can be anything; cellOf reads its cells. */
// biome-ignore lint/suspicious/noExplicitAny: the library requires objects or arrays, but doesn't read them
export type AnyRow = any;

/** The features used of the library: everything else of a table is rendered and limited here. */
export const features = tableFeatures({
  columnFilteringFeature,
  globalFilteringFeature,
  rowSortingFeature,
  filteredRowModel: createFilteredRowModel(),
  sortedRowModel: createSortedRowModel(),
});

/** Texts with this many identical characters count as equal. */
const mostCompared = 500;

/** The id of a column: keys come from a model, and must never collide with a property name. */
export function idOf(column: Column): string {
  return `c${column.index}`;
}

/**
 * Column definitions for sorting with the library. Equal rows keep their order in both directions, and empty cells come
 * last in both: the library inverts comparisons for descending order.
 */
export function definitionsOf(
  columns: readonly Column[],
  rows: readonly unknown[],
  descending: boolean,
): ColumnDef<typeof features, AnyRow>[] {
  return columns.map((column) => ({
    id: idOf(column),
    accessorFn: (row: AnyRow) => cellOf(row, column),
    sortFn: comparison(column, rows, descending ? 1 : -1),
    // The comparison handles empty cells.
    sortUndefined: false,
    sortDescFirst: false,
  }));
}

/** Compares rows by a column. Sort keys are computed once and looked up by index. */
function comparison(
  column: Column,
  rows: readonly unknown[],
  first: 1 | -1,
): SortFn<typeof features, AnyRow> {
  const keys: (Key | undefined)[] = [];
  const keyOf = (at: number): Key => {
    keys[at] ??= sortKey(cellOf(rows[at], column), column);
    return keys[at];
  };
  return (a, b) => {
    const left = keyOf(a.index);
    const right = keyOf(b.index);
    if (left !== empty && right !== empty) return compared(left, right);
    if (left === right) return 0;
    return left === empty ? -first : first;
  };
}

const empty = Symbol('empty');
type Key = number | string | typeof empty;

/** The sort key of a cell; `empty` if there is no value. Numbers come before values that can't be parsed as numbers. */
function sortKey(value: unknown, { kind }: Column): Key {
  if (value === null || value === undefined || value === '') return empty;
  if (kind !== 'text') {
    const number = kind === 'date' ? timeOf(value) : numberOf(value);
    if (!Number.isNaN(number)) return number;
  }
  return plain(value).slice(0, mostCompared);
}

function compared(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : Number(a > b);
  if (typeof a === 'string' && typeof b === 'string') return byName(a, b);
  return typeof a === 'number' ? -1 : 1;
}

/** Filters rows by displayed and original text, case-insensitively. */
export class Filter {
  private readonly texts = new WeakMap<object, string>();
  private readonly columns: readonly Column[];

  constructor(columns: readonly Column[]) {
    this.columns = columns;
  }

  /** Reports whether a row contains every word of a query. */
  matches(row: unknown, words: readonly string[]): boolean {
    const text = this.textOf(row);
    return words.every((word) => text.includes(word));
  }

  private textOf(row: unknown): string {
    const kept = typeof row === 'object' && row !== null ? this.texts.get(row) : undefined;
    if (kept !== undefined) return kept;
    const text = fold(
      this.columns
        .map((column) => {
          const value = cellOf(row, column);
          return `${plain(value)}\n${shown(value, column)}`;
        })
        .join('\n'),
    );
    if (typeof row === 'object' && row !== null) this.texts.set(row, text);
    return text;
  }
}

/** The words of a query. */
export function wordsOf(query: string): string[] {
  return fold(query).split(/\s+/).filter(Boolean);
}

/** Normalizes similar characters: case, full-width letters, and accents are ignored. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
