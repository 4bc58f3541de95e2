import type { Column } from './column';
import { cellOf, numberOf, plain, shown, timeOf } from './values';

export type Direction = 'ascending' | 'descending';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
/** Two texts that are the same for so long are the same. */
const mostCompared = 500;

/**
 * The order of the first `count` rows by a column: places in `rows`. Rows that are equal keep their order in both
 * directions, and empty ones stand at the end in both.
 */
export function sorted(
  rows: readonly unknown[],
  count: number,
  column: Column,
  direction: Direction,
): readonly number[] {
  const keys = rows.slice(0, count).map((row) => sortKey(cellOf(row, column), column));
  const sign = direction === 'ascending' ? 1 : -1;
  return keys
    .map((_, i) => i)
    .sort((a, b) => {
      const left = keys[a] ?? null;
      const right = keys[b] ?? null;
      if (left === null || right === null) return Number(left === null) - Number(right === null) || a - b;
      return sign * compared(left, right) || a - b;
    });
}

type Key = number | string | null;

/** What a cell is sorted by; null where it is empty. Numbers stand before what could not be read as one. */
function sortKey(value: unknown, { kind }: Column): Key {
  if (value === null || value === undefined || value === '') return null;
  if (kind !== 'text') {
    const number = kind === 'date' ? timeOf(value) : numberOf(value);
    if (!Number.isNaN(number)) return number;
  }
  return plain(value).slice(0, mostCompared);
}

function compared(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : Number(a > b);
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b);
  return typeof a === 'number' ? -1 : 1;
}

/** The next of the three states of a header: upwards, downwards, as it came. */
export function nextDirection(direction: Direction | undefined): Direction | undefined {
  if (direction === undefined) return 'ascending';
  return direction === 'ascending' ? 'descending' : undefined;
}

/** Finds rows by what is drawn and by what was written, without regard to case. */
export class Filter {
  private readonly texts = new WeakMap<object, string>();
  private readonly columns: readonly Column[];

  constructor(columns: readonly Column[]) {
    this.columns = columns;
  }

  /** The places out of `order` (null: all, as they came) whose row has every word of the query. */
  matching(rows: readonly unknown[], order: readonly number[] | null, query: string): readonly number[] {
    const words = fold(query).split(/\s+/).filter(Boolean);
    const found: number[] = [];
    const count = order?.length ?? rows.length;
    for (let i = 0; i < count; i++) {
      const at = order?.[i] ?? i;
      const text = this.textOf(rows[at]);
      if (words.every((word) => text.includes(word))) found.push(at);
    }
    return found;
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

/** One form for what looks alike: case, full-width letters, and marks on letters do not count. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
