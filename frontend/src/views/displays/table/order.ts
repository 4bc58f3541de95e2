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

/** A row is anything at all: what the cells are is read by cellOf. */
// biome-ignore lint/suspicious/noExplicitAny: the library wants rows to be objects or arrays, and looks into none
export type AnyRow = any;

/** What the library does with the rows: all else of a table is drawn and bounded here. */
export const features = tableFeatures({
  columnFilteringFeature,
  globalFilteringFeature,
  rowSortingFeature,
  filteredRowModel: createFilteredRowModel(),
  sortedRowModel: createSortedRowModel(),
});

/** Two texts that are the same for so long are the same. */
const mostCompared = 500;

/** The id of a column: keys are texts of a model, and none is ever the name of a property. */
export function idOf(column: Column): string {
  return `c${column.index}`;
}

/**
 * The columns, as the library sorts these rows by them. Rows that are equal keep their order in both directions, and empty
 * cells are at the end in both: the library turns what a comparison says for a descending order.
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
    // The comparison has a place for empty cells.
    sortUndefined: false,
    sortDescFirst: false,
  }));
}

/** Compares rows by their cells under a column. What a row is sorted by is worked out once and looked up by its place. */
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

/** What a cell is sorted by; `empty` where there is nothing. Numbers are before what could not be read as one. */
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

/** Finds rows by what is drawn and by what was written, without regard to case. */
export class Filter {
  private readonly texts = new WeakMap<object, string>();
  private readonly columns: readonly Column[];

  constructor(columns: readonly Column[]) {
    this.columns = columns;
  }

  /** Whether a row has every word of a query. */
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

/** The words that a query asks for. */
export function wordsOf(query: string): string[] {
  return fold(query).split(/\s+/).filter(Boolean);
}

/** One form for what looks alike: case, full-width letters, and marks on letters do not count. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
