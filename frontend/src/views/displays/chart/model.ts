import { fieldOf, isRecord, numberOf, plain } from '../table/values';

/** The supported chart types. */
export type ChartType = 'line' | 'bar' | 'area' | 'scatter' | 'pie';
const types: readonly ChartType[] = ['line', 'bar', 'area', 'scatter', 'pie'];

/** Limits; the chart says if there is more. */
export const mostSeries = 24;
export const mostValues = 200_000;
const mostLabel = 200;

export interface Point {
  readonly x: number;
  /** Null for an unreadable value: a gap. */
  readonly y: number | null;
}

export interface Series {
  readonly name: string;
  /** Sorted by x. */
  readonly points: readonly Point[];
}

/** What x means: the index of a label, a number, or a time in milliseconds. */
export type XKind = 'label' | 'number' | 'time';

export interface Chart {
  readonly type: ChartType;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly xKind: XKind;
  /** By index, if `xKind` is "label". */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** Number of values that aren't numbers. */
  readonly unread: number;
  readonly moreSeries: number;
  readonly cut: boolean;
  /** An unsupported type. */
  readonly unknownType: string;
}

interface Raw {
  readonly x: unknown;
  readonly y: unknown;
}

/** Parses a chart from a tool's input, which may be incomplete or invalid. */
export function readChart(input: unknown, writing: boolean): Chart {
  const type = fieldOf(input, 'type');
  const known = types.find((one) => one === type);
  const given = givenSeries(fieldOf(input, 'series'));
  const raws = given.slice(0, mostSeries).map((one) => ({
    name: textOf(fieldOf(one, 'name')),
    values: rawValues(Array.isArray(one) ? one : fieldOf(one, 'data')),
  }));
  const axis = readAxis(
    raws.map(({ values }) => values),
    texts(fieldOf(input, 'labels')),
  );
  const series = raws.map(({ name, values }) => ({ name, points: axis.points(values) }));
  return {
    type: known ?? 'line',
    title: textOf(fieldOf(input, 'title')),
    x: textOf(fieldOf(input, 'x')),
    y: textOf(fieldOf(input, 'y')),
    xKind: axis.kind,
    labels: axis.labels,
    series,
    unread: unreadOf(raws.map(({ values }) => values)),
    moreSeries: Math.max(0, given.length - mostSeries),
    cut: given.some((one) => lengthOf(Array.isArray(one) ? one : fieldOf(one, 'data')) > mostValues),
    // A type that is still being written is incomplete.
    unknownType: known !== undefined || writing || type === undefined ? '' : textOf(type),
  };
}

/** The series of the input; a bare list of numbers is one series. */
function givenSeries(series: unknown): readonly unknown[] {
  if (!Array.isArray(series)) return isRecord(series) ? [series] : [];
  const bare = series.length > 0 && series.every((one) => typeof one === 'number');
  return bare ? [series] : series.filter((one) => isRecord(one) || Array.isArray(one));
}

function rawValues(data: unknown): readonly Raw[] {
  if (!Array.isArray(data)) return [];
  const whole = data.length > mostValues ? data.slice(0, mostValues) : data;
  return whole.map((value: unknown) => {
    if (Array.isArray(value)) return { x: value[0], y: value[1] };
    return isRecord(value) ? { x: fieldOf(value, 'x'), y: fieldOf(value, 'y') } : { x: undefined, y: value };
  });
}

interface Axis {
  readonly kind: XKind;
  readonly labels: readonly string[];
  points(values: readonly Raw[]): readonly Point[];
}

/** Derives the meaning of x from the points that have one: numbers, dates, or otherwise names. */
function readAxis(all: readonly (readonly Raw[])[], given: readonly string[]): Axis {
  const kind = kindOfX(all);
  if (kind === undefined) return placed(all, given);
  if (kind === 'label') return named(all, given);
  const read = kind === 'time' ? momentOf : numberOf;
  return {
    kind,
    labels: [],
    points: (values) =>
      values
        .map(({ x, y }) => ({ x: read(x), y: readable(y) }))
        .filter(({ x }) => Math.abs(x) <= largest)
        .sort((a, b) => a.x - b.x),
  };
}

function kindOfX(all: readonly (readonly Raw[])[]): XKind | undefined {
  let kind: XKind | undefined;
  for (const values of all) {
    for (const { x } of values) {
      if (x === undefined || x === null) continue;
      const one = Number.isFinite(numberOf(x)) ? 'number' : Number.isFinite(momentOf(x)) ? 'time' : 'label';
      if (kind !== undefined && kind !== one) return 'label';
      kind = one;
    }
  }
  return kind;
}

/** Values in order, with the labels at the same index. */
function placed(all: readonly (readonly Raw[])[], given: readonly string[]): Axis {
  const most = all.reduce((sum, values) => Math.max(sum, values.length), 0);
  const days = given.length >= most && most > 1 ? given.slice(0, most).map(momentOf) : [];
  if (
    days.length > 0 &&
    days.every((day, i) => Number.isFinite(day) && (i === 0 || day > (days[i - 1] ?? day)))
  ) {
    return {
      kind: 'time',
      labels: [],
      points: (values) => values.map(({ y }, i) => ({ x: days[i] ?? i, y: readable(y) })),
    };
  }
  return {
    kind: given.length > 0 ? 'label' : 'number',
    labels: given,
    // Without labels, counting starts at one.
    points: (values) => values.map(({ y }, i) => ({ x: given.length > 0 ? i : i + 1, y: readable(y) })),
  };
}

function named(all: readonly (readonly Raw[])[], given: readonly string[]): Axis {
  const places = new Map<string, number>();
  const place = (name: string) => {
    const here = places.get(name) ?? places.size;
    places.set(name, here);
    return here;
  };
  given.forEach(place);
  const nameOf = ({ x }: Raw, i: number) =>
    x === undefined || x === null ? (given[i] ?? String(i + 1)) : textOf(x);
  for (const values of all) for (const [i, raw] of values.entries()) place(nameOf(raw, i));
  return {
    kind: 'label',
    labels: [...places.keys()],
    points: (values) =>
      values.map((raw, i) => ({ x: place(nameOf(raw, i)), y: readable(raw.y) })).sort((a, b) => a.x - b.x),
  };
}

/** Larger values can't be labeled on an axis. */
const largest = 1e30;
const smallest = 1e-30;

/** Returns a number that can be drawn, or null. */
export function readable(value: unknown): number | null {
  if (typeof value === 'boolean') return null;
  const number = numberOf(value);
  if (!(Math.abs(number) <= largest)) return null;
  return Math.abs(number) < smallest ? 0 : number;
}

const day = /^\d{4}-\d{2}(?:-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?)?$/;

function momentOf(value: unknown): number {
  if (typeof value !== 'string' || !day.test(value)) return Number.NaN;
  // A time without a zone is shown as written, and the axis is in UTC.
  return Date.parse(value.replace(' ', 'T') + (/[T ][\d:.]+$/.test(value) ? 'Z' : ''));
}

/** Counts values that are neither a number nor clearly empty. */
function unreadOf(all: readonly (readonly Raw[])[]): number {
  let unread = 0;
  for (const values of all) {
    for (const { y } of values)
      if (y !== null && y !== undefined && y !== '' && readable(y) === null) unread++;
  }
  return unread;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.slice(0, mostValues).map(textOf) : [];
}

function textOf(value: unknown): string {
  return plain(value).slice(0, mostLabel);
}
