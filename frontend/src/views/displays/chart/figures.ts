import { dateFormat, numberFormat, percent as share } from '../../../i18n/formats';
import type { Chart } from './model';

// Formats numbers and axis positions.

const plainFigure = { maximumSignificantDigits: 8 } as const;
const shortFigure = { notation: 'compact', maximumSignificantDigits: 4 } as const;
const tiny = { notation: 'scientific', maximumSignificantDigits: 4 } as const;

/** A value in full. */
export function figure(value: number): string {
  if (value !== 0 && (Math.abs(value) < 1e-6 || Math.abs(value) >= 1e15))
    return numberFormat(tiny).format(value);
  return numberFormat(plainFigure).format(value);
}

/** A value on an axis, abbreviated from 100,000 on. */
export function axisFigure(value: number): string {
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e15))
    return numberFormat(tiny).format(value);
  return Math.abs(value) >= 1e5
    ? numberFormat(shortFigure).format(value)
    : numberFormat(plainFigure).format(value);
}

export function percent(part: number): string {
  return share(part, 1);
}

/** The name of an x position. */
export function placeName({ xKind, labels }: Chart, x: number): string {
  if (xKind === 'label') return labels[x] ?? String(x + 1);
  if (xKind === 'number') return figure(x);
  const wholeDay = x % 86_400_000 === 0;
  return dateFormat({
    dateStyle: 'medium',
    ...(wholeDay ? {} : { timeStyle: 'short' }),
    timeZone: 'UTC',
  }).format(x);
}
