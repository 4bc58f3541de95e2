import { type FilterFn, type SortingState, useTable as useLibrary } from '@tanstack/react-table';
import { useDeferredValue, useMemo, useState } from 'react';
import type { Column, Kind } from './column';
import { Columns } from './columns';
import { type AnyRow, type Direction, definitionsOf, Filter, features, idOf, wordsOf } from './order';
import { type RowOrder, rowOrder, type Selection } from './selection';
import { fieldOf } from './values';

interface Sort {
  readonly key: string;
  readonly direction: Direction;
  /** Number of sorted rows: later ones are appended, so that nothing moves while the user reads. */
  readonly count: number;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  /** Number of columns that are not shown. */
  readonly hiddenColumns: number;
  readonly rows: readonly unknown[];
  /** The current order; null for all rows in their original order. */
  readonly view: readonly number[] | null;
  readonly standing: RowOrder;
  readonly sort: Sort | null;
  /** Number of rows that arrived after sorting. */
  readonly unsorted: number;
  readonly query: string;
  /** The query of the view, which may briefly lag behind the field. */
  readonly found: string;
  setQuery(query: string): void;
  sortBy(column: Column): void;
  sortAgain(): void;
}

/** A table of a tool's input so far. */
export function useTable(input: unknown, writing: boolean): Table {
  const [reader] = useState(() => new Columns());
  const [sorting, setSorting] = useState<{ by: SortingState; count: number }>({ by: [], count: 0 });
  const [query, setQuery] = useState('');
  const found = useDeferredValue(query.trim());
  const rows = rowsOf(input);
  const given = fieldOf(input, 'columns');
  const columns = useMemo(() => reader.read(given, rows, writing), [reader, given, rows, writing]);
  const by = columns.find((column) => idOf(column) === sorting.by[0]?.id);
  // The last row of a streaming input may be incomplete and would sort wrongly.
  const count = writing ? Math.max(0, rows.length - 1) : rows.length;
  const { key, kind } = by ?? {};
  const sort = useMemo((): Sort | null => {
    if (key === undefined) return null;
    const direction = sorting.by[0]?.desc === true ? 'descending' : 'ascending';
    return { key, direction, count: sorting.count };
  }, [key, sorting]);
  const ordered = useOrdered({ rows, columns, found, sort, kind, by: sorting.by, writing }, (next) =>
    setSorting({ by: next, count }),
  );
  return {
    title: titleOf(input),
    columns,
    hiddenColumns: reader.hidden,
    rows,
    view: ordered.view,
    standing: useMemo(() => rowOrder(ordered.view, rows.length), [ordered.view, rows.length]),
    sort,
    unsorted: sort === null ? 0 : Math.max(0, count - sort.count),
    query,
    found,
    setQuery,
    sortBy: (column) => ordered.toggle(idOf(column)),
    sortAgain: () => setSorting((now) => ({ ...now, count })),
  };
}

interface Wanted {
  rows: readonly unknown[];
  columns: readonly Column[];
  found: string;
  sort: Sort | null;
  /** Type of the column that is sorted by. */
  kind: Kind | undefined;
  by: SortingState;
  writing: boolean;
}

/** Sorts and filters rows with the library. It isn't used for the original order. */
function useOrdered(
  { rows, columns, found, sort, kind, by, writing }: Wanted,
  onSort: (next: SortingState) => void,
): { view: readonly number[] | null; toggle(id: string): void } {
  const filter = useMemo(() => new Filter(columns), [columns]);
  const settled = writing ? null : rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: sorted rows don't change while more arrive
  const sorted = useMemo(() => (sort === null ? null : rows.slice(0, sort.count)), [sort, kind, settled]);
  // New columns mean a new filter, but the library only runs it again for new rows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const filtered = useMemo(
    () => (found === '' ? none : (sorted ?? rows).slice()),
    [found === '', sorted, rows, filter],
  );
  const held = found === '' ? (sorted ?? none) : filtered;
  const matches = useMemo((): FilterFn<typeof features, AnyRow> => {
    const match = (row: { original: unknown }, _id: string, words: string[]) =>
      filter.matches(row.original, words);
    return Object.assign(match, { resolveFilterValue: wordsOf });
  }, [filter]);
  const descending = by[0]?.desc === true;
  const definitions = useMemo(() => definitionsOf(columns, held, descending), [columns, held, descending]);
  const state = useMemo(() => ({ sorting: by, globalFilter: found, columnFilters: [] }), [by, found]);
  const table = useLibrary(
    {
      features,
      columns: definitions,
      data: held,
      state,
      onSortingChange: (next) => onSort(typeof next === 'function' ? next(by) : next),
      globalFilterFn: matches,
      // Each row is tested once, as a whole.
      getColumnCanGlobalFilter: ({ id }) => id === definitions[0]?.id,
    },
    nothing,
  );
  const { rows: model } = table.getRowModel();
  const view = useMemo(() => {
    if (sort === null && found === '') return null;
    const view = model.map(({ index }) => index);
    // Rows that arrived after sorting come last.
    const words = wordsOf(found);
    for (let at = held.length; at < rows.length; at++) {
      if (filter.matches(rows[at], words)) view.push(at);
    }
    return view;
  }, [model, held, rows, sort, found, filter]);
  return { view, toggle: (id) => table.getColumn(id)?.toggleSorting() };
}

const nothing = () => null;
const none: readonly unknown[] = [];

function rowsOf(input: unknown): readonly unknown[] {
  const rows = fieldOf(input, 'rows');
  return Array.isArray(rows) ? rows : none;
}

export function titleOf(input: unknown): string {
  const title = fieldOf(input, 'title');
  return typeof title === 'string' ? title.slice(0, 300) : '';
}

/** The rows to copy: the selected ones in the current order, or all visible ones. */
export function rowsToCopy({ rows, standing }: Table, { chosen }: Selection): readonly unknown[] {
  const copied: unknown[] = [];
  for (let place = 0; place < standing.length; place++) {
    const row = standing.at(place);
    if (chosen.size === 0 || chosen.has(row)) copied.push(rows[row]);
  }
  return copied;
}
