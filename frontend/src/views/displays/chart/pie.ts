import type { Chart } from './model';

/** More slices are hard to tell apart, so the smallest are combined. */
export const mostSlices = 10;

export interface Slice {
  /** Empty for a combined slice. */
  readonly name: string;
  readonly value: number;
  /** 0 to 1. */
  readonly share: number;
  /** As a fraction of a full turn, from the top. */
  readonly from: number;
  readonly to: number;
  /** Number of values it represents. */
  readonly of: number;
  /** Index of its value, or of the smallest one, which determines its marker. */
  readonly place: number;
  /** Indices of all its values. */
  readonly places: readonly number[];
}

export interface Pie {
  readonly slices: readonly Slice[];
  readonly total: number;
  readonly negative: number;
}

interface Part {
  readonly name: string;
  readonly value: number;
  readonly place: number;
}

/** One value per slice: the values of the first series, or the first value of each if every series has only one. */
export function partsOf({ series, labels, xKind }: Chart): readonly Part[] {
  const single = series.length > 1 && series.every(({ points }) => points.length <= 1);
  const parts = single
    ? series.map(({ name, points }, i) => ({ name: name || String(i + 1), value: points[0]?.y ?? null }))
    : (series[0]?.points ?? []).map(({ x, y }) => ({
        name: (xKind === 'label' ? labels[x] : undefined) ?? String(xKind === 'label' ? x + 1 : x),
        value: y,
      }));
  return parts.flatMap(({ name, value }, place) => (value === null ? [] : [{ name, value, place }]));
}

/** The slices in the order of the values. `hidden`: indices that are switched off. */
export function pieOf(chart: Chart, hidden: ReadonlySet<number>): Pie {
  const all = partsOf(chart);
  const positive = all.filter(({ value, place }) => value > 0 && !hidden.has(place));
  const top = positive.reduce((most, { value }) => Math.max(most, value), 0);
  // Scaled by the largest value, because the sum of very large numbers overflows.
  const sum = positive.reduce((all, { value }) => all + value / top, 0);
  let turn = 0;
  const slices = together(positive).map(({ part, places, value }) => {
    const share = value / top / sum;
    const from = turn;
    turn += share;
    const of = places.length;
    return { name: of > 1 ? '' : part.name, value, share, from, to: turn, of, place: part.place, places };
  });
  return {
    slices,
    total: positive.reduce((all, { value }) => all + value, 0),
    negative: all.filter(({ value }) => value < 0).length,
  };
}

function together(
  parts: readonly Part[],
): readonly { part: Part; places: readonly number[]; value: number }[] {
  const alone = (part: Part) => ({ part, places: [part.place], value: part.value });
  if (parts.length <= mostSlices) return parts.map(alone);
  const small = new Set([...parts].sort((a, b) => a.value - b.value).slice(0, parts.length - mostSlices + 1));
  const rest = [...small];
  const [first] = rest;
  if (first === undefined) return parts.map(alone);
  const value = rest.reduce((sum, part) => sum + part.value, 0);
  return [
    ...parts.filter((part) => !small.has(part)).map(alone),
    { part: first, places: rest.map(({ place }) => place), value },
  ];
}

/** The path of a slice of a ring around 0,0 with the radius 100. */
export function sliceShape({ from, to }: Pick<Slice, 'from' | 'to'>, hole = 56): string {
  // An arc that ends where it starts is invisible, so a full ring is drawn as two.
  if (to - from > 0.9999) return `${ring(100)}${ring(hole)}`;
  const large = to - from > 0.5 ? 1 : 0;
  return (
    `M${at(from, 100)}A100 100 0 ${large} 1 ${at(to, 100)}` +
    `L${at(to, hole)}A${hole} ${hole} 0 ${large} 0 ${at(from, hole)}Z`
  );
}

function ring(radius: number): string {
  return `M0 ${-radius}A${radius} ${radius} 0 1 1 0 ${radius}A${radius} ${radius} 0 1 1 0 ${-radius}Z`;
}

function at(turn: number, radius: number): string {
  const angle = turn * 2 * Math.PI - Math.PI / 2;
  return `${round(Math.cos(angle) * radius)} ${round(Math.sin(angle) * radius)}`;
}

function round(n: number): number {
  return Math.round(n * 1000) / 1000;
}
