import { useDeferredValue, useMemo, useState } from 'react';
import type { Column } from './column';
import { Columns } from './columns';
import { type Direction, Filter, nextDirection, sorted } from './order';
import { type Selection, type Standing, standing } from './selection';
import { fieldOf } from './values';

interface Sort {
  readonly key: string;
  readonly direction: Direction;
  /** How many rows are sorted: those that come in later stand at the end, so that nothing moves that is read. */
  readonly count: number;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  /** Columns beyond those that are drawn. */
  readonly hiddenColumns: number;
  readonly rows: readonly unknown[];
  /** Rows as they stand; null: all, as they came. */
  readonly view: readonly number[] | null;
  readonly standing: Standing;
  readonly sort: Sort | null;
  /** Rows that came in after the sorting. */
  readonly unsorted: number;
  readonly query: string;
  /** The query that the view is of: it may lag behind the field for a moment. */
  readonly found: string;
  setQuery(query: string): void;
  sortBy(column: Column): void;
  sortAgain(): void;
}

/** A table out of a tool's input, however much of that there is. */
export function useTable(input: unknown, writing: boolean): Table {
  const [reader] = useState(() => new Columns());
  const [sort, setSort] = useState<Sort | null>(null);
  const [query, setQuery] = useState('');
  const found = useDeferredValue(query.trim());
  const rows = rowsOf(input);
  const given = fieldOf(input, 'columns');
  const columns = useMemo(() => reader.read(given, rows, writing), [reader, given, rows, writing]);
  const filter = useMemo(() => new Filter(columns), [columns]);
  const by = columns.find(({ key }) => key === sort?.key);
  const order = useOrder(rows, sort, by, writing);
  const view = useMemo(
    () => (found === '' ? order(rows.length) : filter.matching(rows, order(rows.length), found)),
    [found, order, filter, rows],
  );
  // The last row of an input that is being written may be half a row, which sorts wrongly.
  const count = writing ? Math.max(0, rows.length - 1) : rows.length;
  return {
    title: titleOf(input),
    columns,
    hiddenColumns: reader.hidden,
    rows,
    view,
    standing: useMemo(() => standing(view, rows.length), [view, rows.length]),
    sort: by === undefined ? null : sort,
    unsorted: sort === null || by === undefined ? 0 : Math.max(0, count - sort.count),
    query,
    found,
    setQuery,
    sortBy: (column) => {
      const direction = nextDirection(sort?.key === column.key ? sort.direction : undefined);
      setSort(direction === undefined ? null : { key: column.key, direction, count });
    },
    sortAgain: () => setSort((now) => (now === null ? null : { ...now, count })),
  };
}

/** The order of the rows, worked out once per sorting: rows that come in later are put behind it. */
function useOrder(rows: readonly unknown[], sort: Sort | null, by: Column | undefined, writing: boolean) {
  const settled = writing ? null : rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sorted rows stay what they are while more come in
  return useMemo(() => {
    if (sort === null || by === undefined) return () => null;
    const order = sorted(rows, sort.count, by, sort.direction);
    return (length: number) => {
      const here = order.length > length ? order.filter((at) => at < length) : order;
      return [...here, ...Array.from({ length: length - here.length }, (_, i) => here.length + i)];
    };
  }, [sort, by?.key, by?.kind, settled]);
}

const none: readonly unknown[] = [];

function rowsOf(input: unknown): readonly unknown[] {
  const rows = fieldOf(input, 'rows');
  return Array.isArray(rows) ? rows : none;
}

export function titleOf(input: unknown): string {
  const title = fieldOf(input, 'title');
  return typeof title === 'string' ? title.slice(0, 300) : '';
}

/** The rows to copy: those chosen, as they stand, or all that are shown. */
export function rowsToCopy({ rows, standing }: Table, { chosen }: Selection): readonly unknown[] {
  const copied: unknown[] = [];
  for (let place = 0; place < standing.length; place++) {
    const row = standing.at(place);
    if (chosen.size === 0 || chosen.has(row)) copied.push(rows[row]);
  }
  return copied;
}
