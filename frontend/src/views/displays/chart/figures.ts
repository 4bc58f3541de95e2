import type { Chart } from './model';

// Numbers and places of an axis as words.

const plainFigure = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 8 });
const shortFigure = new Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits: 4 });
const tiny = new Intl.NumberFormat(undefined, { notation: 'scientific', maximumSignificantDigits: 4 });
const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** A value in full. */
export function figure(value: number): string {
  if (value !== 0 && (Math.abs(value) < 1e-6 || Math.abs(value) >= 1e15)) return tiny.format(value);
  return plainFigure.format(value);
}

/** A value at an axis: short from a hundred thousand on. */
export function axisFigure(value: number): string {
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e15)) return tiny.format(value);
  return Math.abs(value) >= 1e5 ? shortFigure.format(value) : plainFigure.format(value);
}

export function percent(part: number): string {
  return share.format(part);
}

/** A place on the x axis. */
export function placeName({ xKind, labels }: Chart, x: number): string {
  if (xKind === 'label') return labels[x] ?? String(x + 1);
  if (xKind === 'number') return figure(x);
  const wholeDay = x % 86_400_000 === 0;
  return new Date(x).toLocaleString(undefined, {
    dateStyle: 'medium',
    ...(wholeDay ? {} : { timeStyle: 'short' }),
    timeZone: 'UTC',
  });
}
