import { oneLine } from '../../parts/clean';
import { type Column, type Kind, kinds } from './column';
import { fieldOf, isRecord, kindOf } from './values';

/** Most columns shown; the table says if there are more. */
export const mostColumns = 60;
/** Widths and types are derived from this many rows at the start, so that later rows don't move anything. */
const looked = 200;
const narrowest = 5;
const widest = 40;
const step = 4;

interface Given {
  readonly key: string;
  readonly label: string;
  readonly kind: Kind | undefined;
  readonly align: Column['align'] | undefined;
  readonly currency: string | undefined;
}

interface Seen {
  length: number;
  kind: Kind | undefined;
}

/**
 * Derives the columns of a table while its rows are still arriving. Each row is read once while the table only grows.
 * Returns the same array until something changed.
 */
export class Columns {
  private given: readonly Given[] = [];
  private source: unknown;
  private keys = new Map<string, Seen>();
  private scanned = 0;
  private first: unknown;
  private shown: readonly Column[] = [];
  private sign = '';

  /** Returns the current columns. `growing`: the last row may be incomplete, so it is read again. */
  read(columns: unknown, rows: readonly unknown[], growing: boolean): readonly Column[] {
    const given = this.readGiven(columns);
    const fewer = rows.length < this.scanned;
    if (fewer || (!growing && rows[0] !== this.first)) this.forget();
    this.first = rows[0];
    for (let i = this.scanned; i < rows.length; i++) this.look(rows[i], i);
    this.scanned = growing ? Math.max(0, rows.length - 1) : rows.length;
    return this.keep(given.length > 0 ? given : this.derived());
  }

  /** Number of columns that are not shown. */
  get hidden(): number {
    return Math.max(0, (this.given.length > 0 ? this.given.length : this.keys.size) - mostColumns);
  }

  private forget(): void {
    this.keys = new Map();
    this.scanned = 0;
  }

  private readGiven(columns: unknown): readonly Given[] {
    if (columns !== this.source) {
      this.source = columns;
      this.given = givenColumns(columns);
    }
    return this.given;
  }

  private look(row: unknown, at: number): void {
    if (Array.isArray(row)) {
      for (let i = 0; i < Math.min(row.length, mostColumns); i++) this.see(place(i), row[i], at);
    } else if (isRecord(row)) {
      for (const key of Object.keys(row)) this.see(key, row[key], at);
    } else if (row !== undefined && row !== null) {
      this.see(place(0), row, at);
    }
  }

  private see(key: string, value: unknown, at: number): void {
    let seen = this.keys.get(key);
    if (seen === undefined) {
      seen = { length: 0, kind: undefined };
      this.keys.set(key, seen);
    }
    if (at >= looked || value === null || value === undefined || value === '') return;
    const kind = kindOf(value);
    seen.kind = seen.kind === undefined || seen.kind === kind ? kind : 'text';
    seen.length = Math.max(seen.length, lengthOf(value));
  }

  private derived(): readonly Given[] {
    return [...this.keys.keys()].map((key) => ({
      key,
      label: key.startsWith(placeSign) ? key.slice(1) : key,
      kind: undefined,
      align: undefined,
      currency: undefined,
    }));
  }

  private keep(given: readonly Given[]): readonly Column[] {
    const columns = given.slice(0, mostColumns).map((one, index) => this.column(one, index));
    const sign = JSON.stringify(columns);
    if (sign !== this.sign) {
      this.sign = sign;
      this.shown = columns;
    }
    return this.shown;
  }

  private column({ key, label, kind, align, currency }: Given, index: number): Column {
    const seen = this.keys.get(key) ?? this.keys.get(place(index));
    const is = kind ?? seen?.kind ?? 'text';
    const length = Math.max(drawnLength(seen?.length ?? 0, kind), label.length + 2, narrowest);
    return {
      key,
      index,
      label: oneLine(label.slice(0, 200)),
      kind: is,
      given: kind !== undefined,
      align: align ?? (is === 'number' || is === 'money' ? 'end' : 'start'),
      width: Math.min(widest, Math.ceil(length / step) * step),
      currency,
    };
  }
}

/** The length of a value formatted for a specified type. */
function drawnLength(length: number, given: Kind | undefined): number {
  if (given === 'money') return length + 6;
  if (given === 'number') return Math.ceil((length * 4) / 3);
  return given === 'date' ? Math.max(length, length > 10 ? 22 : 13) : length;
}

/** Rows that are arrays have indices instead of keys. The prefix distinguishes them from numeric keys. */
const placeSign = '\u0000';
const place = (index: number) => `${placeSign}${index + 1}`;

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' ? widest / 2 : String(value).length;
}

function givenColumns(columns: unknown): readonly Given[] {
  if (!Array.isArray(columns)) return [];
  const given = new Map<string, Given>();
  for (const entry of columns.slice(0, 1000)) {
    const one = givenColumn(entry);
    if (one !== undefined && !given.has(one.key)) given.set(one.key, one);
  }
  return [...given.values()];
}

function givenColumn(entry: unknown): Given | undefined {
  const word = (name: string) => {
    const value = fieldOf(entry, name);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
  const key = typeof entry === 'string' ? entry : (word('key') ?? word('label'));
  if (key === undefined) return undefined;
  const kind = word('type');
  const align = word('align');
  return {
    key,
    label: word('label') ?? key,
    kind: kinds.find((one) => one === kind),
    align: aligns.get(align ?? ''),
    currency: word('currency'),
  };
}

const aligns: ReadonlyMap<string, Column['align']> = new Map([
  ['left', 'start'],
  ['start', 'start'],
  ['center', 'center'],
  ['right', 'end'],
  ['end', 'end'],
]);
