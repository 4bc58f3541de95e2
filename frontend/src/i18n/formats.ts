// Formats and compares numbers, dates, lists and names in the language of the window. Views use only these functions
// for that.

import { currentLanguage, onLanguageChange } from '.';
import { localeOf, systemLanguages } from './language';
import { setFormatters } from './said';

const made = new Map<string, unknown>();
let place = '';
onLanguageChange(() => {
  made.clear();
  place = '';
});

/** The locale for dates and numbers. */
export function locale(): string {
  if (place === '') place = localeOf(currentLanguage(), systemLanguages());
  return place;
}

/** Caches Intl objects: they are expensive to create, and most are used again. */
function cached<F>(name: string, options: object, make: (locale: string) => F): F {
  const key = `${name} ${JSON.stringify(options)}`;
  const known = made.get(key) as F | undefined;
  if (known !== undefined) return known;
  const format = make(locale());
  made.set(key, format);
  return format;
}

export function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return cached('number', options, (at) => new Intl.NumberFormat(at, options));
}

export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return cached('date', options, (at) => new Intl.DateTimeFormat(at, options));
}

export const number = (n: number, digits = 0) =>
  numberFormat({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(n);

const thin = '\u202f';

/** A size in bytes. The units are the same in all languages. */
export function bytes(n: number): string {
  if (n < 1024) return `${number(n)}${thin}B`;
  if (n < 1024 * 1024) return `${number(n / 1024, n < 10240 ? 1 : 0)}${thin}KB`;
  return `${number(n / 1024 / 1024, 1)}${thin}MB`;
}

setFormatters({
  time: (at) => dateFormat({ dateStyle: 'medium', timeStyle: 'short' }).format(at),
  size: bytes,
  number: (n) => number(n),
});

/** Formats a ratio: 0.4 is "40%". */
export const percent = (share: number, digits = 0) =>
  numberFormat({ style: 'percent', maximumFractionDigits: digits }).format(share);

/** "a, b and c". */
export const formatList = (items: readonly string[]) =>
  cached('list', {}, (at) => new Intl.ListFormat(at, { type: 'conjunction' })).format(items);

/** "a, b, c": facts or names side by side, and lists that continue. */
export function joinFacts(items: readonly string[]): string {
  // The separator that the language uses in a longer list.
  const comma = cached('comma', {}, (at) => new Intl.ListFormat(at).formatToParts(['', '', '']))[1]?.value;
  return items.join(comma ?? ', ');
}

/** Joins sentences with a space, if the language uses spaces. */
export const sentences = (all: readonly string[]) =>
  all.filter((one) => one !== '').join(noSpaces() ? '' : ' ');

const noSpaces = () => currentLanguage() === 'zh' || currentLanguage() === 'ja';

/** The parts of "a, b and c" for a list of elements: their indices, and the strings between them. */
export function formatListParts(n: number): readonly (string | number)[] {
  return cached('list', {}, (at) => new Intl.ListFormat(at, { type: 'conjunction' }))
    .formatToParts(Array.from({ length: n }, (_, i) => String(i)))
    .map(({ type, value }) => (type === 'element' ? Number(value) : value));
}

/** "2 hours ago". */
export const relative = (n: number, unit: Intl.RelativeTimeFormatUnit) =>
  cached('relative', {}, (at) => new Intl.RelativeTimeFormat(at)).format(n, unit);

/** Compares names case-insensitively and numbers in them by value. */
export const byName = (a: string, b: string) =>
  cached('order', {}, (at) => new Intl.Collator(at, { numeric: true, sensitivity: 'base' })).compare(a, b);
