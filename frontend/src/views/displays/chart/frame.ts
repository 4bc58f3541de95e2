import type { Chart, Series } from './model';

/**
 * The columns for the plot: x, then one per series. Null is a gap in the series, undefined an x that only another
 * series has.
 */
export type Columns = [number[], ...(number | null | undefined)[][]];

/** Most points drawn of a series; more are thinned out. */
export const mostDrawn = 4000;

/** Aligns series on one x axis. If a series has an x twice, the axis has it twice. */
export function aligned(series: readonly Series[]): Columns {
  const places = placesOf(series);
  const xs: number[] = [];
  const starts = new Map<number, number>();
  for (const x of [...places.keys()].sort((a, b) => a - b)) {
    starts.set(x, xs.length);
    for (let i = 0; i < (places.get(x) ?? 0); i++) xs.push(x);
  }
  const columns = series.map(({ points }) => {
    const column = new Array<number | null | undefined>(xs.length).fill(undefined);
    let before = Number.NaN;
    let repeated = 0;
    for (const { x, y } of points) {
      repeated = x === before ? repeated + 1 : 0;
      before = x;
      column[(starts.get(x) ?? 0) + repeated] = y;
    }
    return column;
  });
  return [xs, ...columns];
}

/** How often each x is needed. */
function placesOf(series: readonly Series[]): Map<number, number> {
  const places = new Map<number, number>();
  for (const { points } of series) {
    let before = Number.NaN;
    let times = 0;
    for (const { x } of points) {
      times = x === before ? times + 1 : 1;
      before = x;
      if ((places.get(x) ?? 0) < times) places.set(x, times);
    }
  }
  return places;
}

/** Reduces rows for drawing: from each interval, the lowest and highest of every series, plus both ends. */
export function thinned(columns: Columns, most = mostDrawn): Columns {
  const [xs, ...ys] = columns;
  if (xs.length <= most) return columns;
  const stretches = Math.max(1, Math.floor(most / (2 * Math.max(1, ys.length))));
  const kept = new Set([0, xs.length - 1]);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * xs.length) / stretches);
    const to = Math.floor(((stretch + 1) * xs.length) / stretches);
    for (const column of ys) keepEnds(column, from, to, kept);
  }
  const places = [...kept].sort((a, b) => a - b);
  return [places.map((at) => xs[at] ?? 0), ...ys.map((column) => places.map((at) => column[at]))];
}

function keepEnds(
  column: readonly (number | null | undefined)[],
  from: number,
  to: number,
  kept: Set<number>,
): void {
  let low = -1;
  let high = -1;
  for (let at = from; at < to; at++) {
    const y = column[at];
    // Keep the start of a gap visible.
    if (y === null && at > from && column[at - 1] !== null) kept.add(at);
    if (y === null || y === undefined) continue;
    if (low < 0 || y < (column[low] ?? y)) low = at;
    if (high < 0 || y > (column[high] ?? y)) high = at;
  }
  if (low >= 0) kept.add(low).add(high);
}

/** Lowest and highest drawn value; null if there is none. */
export function rangeOf(series: readonly Series[]): { low: number; high: number } | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { points } of series) {
    for (const { y } of points) {
      if (y === null) continue;
      if (y < low) low = y;
      if (y > high) high = y;
    }
  }
  return low > high ? null : { low, high };
}

/** The y scale: with padding if all values are equal, and starting at zero if zero is among the drawn values. */
export function scaleOf(chart: Chart, low: number, high: number): [number, number] {
  const fromZero = chart.type === 'bar' || chart.type === 'area';
  const bottom = fromZero ? Math.min(0, low) : low;
  const top = fromZero ? Math.max(0, high) : high;
  if (isNoSpan(bottom, top)) {
    const room = top === 0 ? 1 : Math.abs(top) / 2;
    return [bottom - room, top + room];
  }
  const room = (top - bottom) * 0.06;
  return [bottom === 0 && fromZero ? 0 : bottom - room, top === 0 && fromZero ? 0 : top + room];
}

/** Equal, or so close that the axis would repeat the same number. */
function isNoSpan(low: number, high: number): boolean {
  return high - low <= Math.max(Math.abs(low), Math.abs(high)) * 1e-9;
}

/** The x scale: half a step of padding around bars and points, a whole step for a single x. */
export function xScaleOf({ type, xKind }: Chart, xs: readonly number[]): [number, number] {
  const first = xs[0] ?? 0;
  const last = xs.at(-1) ?? 1;
  if (isNoSpan(first, last)) {
    const room =
      xKind === 'time' ? 43_200_000 : type === 'bar' || xKind === 'label' ? 0.5 : Math.abs(first) / 2 || 1;
    return [first - room, last + room];
  }
  if (type === 'bar') return [first - stepOf(xs) / 2, last + stepOf(xs) / 2];
  const room = type === 'scatter' ? (last - first) * 0.03 : 0;
  return [first - room, last + room];
}

/** The smallest distance between neighbors. */
export function stepOf(xs: readonly number[]): number {
  let step = Number.POSITIVE_INFINITY;
  for (let i = 1; i < xs.length; i++) {
    const one = (xs[i] ?? 0) - (xs[i - 1] ?? 0);
    if (one > 0 && one < step) step = one;
  }
  return Number.isFinite(step) ? step : 1;
}
