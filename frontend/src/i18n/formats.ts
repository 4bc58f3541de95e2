// Numbers, dates, lists and order, as the language of the window has them. Whatever shows one of them takes it from here.

import { onSpoken, spoken } from '.';
import { localeOf, systemLanguages } from './language';
import { writeFigures } from './said';

const made = new Map<string, unknown>();
let place = '';
onSpoken(() => {
  made.clear();
  place = '';
});

/** The locale that dates and numbers are written in. */
export function locale(): string {
  if (place === '') place = localeOf(spoken(), systemLanguages());
  return place;
}

/** Formats are expensive to make, and most are used again. */
function kept<F>(name: string, options: object, make: (locale: string) => F): F {
  const key = `${name} ${JSON.stringify(options)}`;
  const known = made.get(key) as F | undefined;
  if (known !== undefined) return known;
  const format = make(locale());
  made.set(key, format);
  return format;
}

export function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return kept('number', options, (at) => new Intl.NumberFormat(at, options));
}

export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept('date', options, (at) => new Intl.DateTimeFormat(at, options));
}

export const number = (n: number, digits = 0) =>
  numberFormat({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(n);

const thin = '\u202f';

/** A size. The units are the same in all languages. */
export function bytes(n: number): string {
  if (n < 1024) return `${number(n)}${thin}B`;
  if (n < 1024 * 1024) return `${number(n / 1024, n < 10240 ? 1 : 0)}${thin}KB`;
  return `${number(n / 1024 / 1024, 1)}${thin}MB`;
}

writeFigures({
  time: (at) => dateFormat({ dateStyle: 'medium', timeStyle: 'short' }).format(at),
  size: bytes,
  number: (n) => number(n),
});

/** A share of one: 0.4 is "40%". */
export const percent = (share: number, digits = 0) =>
  numberFormat({ style: 'percent', maximumFractionDigits: digits }).format(share);

/** "a, b and c". */
export const listed = (items: readonly string[]) =>
  kept('list', {}, (at) => new Intl.ListFormat(at, { type: 'conjunction' })).format(items);

/** "a, b, c": facts or names beside each other, and lists that continue. */
export function beside(items: readonly string[]): string {
  // What the language has between the first of many.
  const comma = kept('comma', {}, (at) => new Intl.ListFormat(at).formatToParts(['', '', '']))[1]?.value;
  return items.join(comma ?? ', ');
}

/** Sentences after each other: with a space between them, where the language has spaces. */
export const sentences = (all: readonly string[]) =>
  all.filter((one) => one !== '').join(noSpaces() ? '' : ' ');

const noSpaces = () => spoken() === 'zh' || spoken() === 'ja';

/** The parts of "a, b and c" for elements: their indices, and the strings between them. */
export function listedParts(n: number): readonly (string | number)[] {
  return kept('list', {}, (at) => new Intl.ListFormat(at, { type: 'conjunction' }))
    .formatToParts(Array.from({ length: n }, (_, i) => String(i)))
    .map(({ type, value }) => (type === 'element' ? Number(value) : value));
}

/** "2 hours ago". */
export const relative = (n: number, unit: Intl.RelativeTimeFormatUnit) =>
  kept('relative', {}, (at) => new Intl.RelativeTimeFormat(at)).format(n, unit);

/** Compares names, with numbers in them by their value, whatever their case. */
export const byName = (a: string, b: string) =>
  kept('order', {}, (at) => new Intl.Collator(at, { numeric: true, sensitivity: 'base' })).compare(a, b);
