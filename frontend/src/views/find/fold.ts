// What is the same for a search. backend/store/find/fold.go folds the same way; both are held to its testdata.

/** A combining diacritic of the scripts in which a search ignores these. */
const diacritic = /^[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]$/u;

const known = new Map<string, string>();

/** A character as a search compares it: its base in lower case; empty for a diacritic, which is left out. */
function foldChar(char: string): string {
  let folded = known.get(char);
  if (folded === undefined) {
    folded = diacritic.test(char) ? '' : lowercase(base(char));
    known.set(char, folded);
  }
  return folded;
}

function base(char: string): string {
  const [first = char, ...rest] = [...char.normalize('NFD')];
  return rest.every((mark) => diacritic.test(mark)) ? first : char;
}

/** The lower case of a character's upper case: all forms of a letter have one. */
function lowercase(char: string): string {
  const upper = alone(char.toUpperCase(), char);
  return alone(upper.toLowerCase(), upper);
}

function alone(changed: string, char: string): string {
  return [...changed].length === 1 ? changed : char;
}

export function folded(text: string): string {
  let out = '';
  for (const char of text) out += foldChar(char);
  return out;
}

/** A stretch of a text, in UTF-16 units. */
export interface Stretch {
  from: number;
  to: number;
}

const ascii = /^[\0-\x7f]*$/;

/** Where a folded query is in a text. Matches don't overlap; diacritics behind one belong to it. */
export function matchesIn(text: string, query: string, most = Number.POSITIVE_INFINITY): Stretch[] {
  if (query === '') return [];
  if (ascii.test(text)) return plainMatches(text.toLowerCase(), query, most);
  let whole = '';
  /** Where each unit of the folded text comes from. */
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const char of text) {
    const to = at + char.length;
    const one = foldChar(char);
    if (one === '' && ends.length > 0) ends[ends.length - 1] = to;
    for (let i = 0; i < one.length; i++) {
      starts.push(at);
      ends.push(to);
    }
    whole += one;
    at = to;
  }
  return plainMatches(whole, query, most).map(({ from, to }) => ({
    from: starts[from] ?? 0,
    to: ends[to - 1] ?? at,
  }));
}

function plainMatches(text: string, query: string, most: number): Stretch[] {
  const found: Stretch[] = [];
  for (
    let at = text.indexOf(query);
    at >= 0 && found.length < most;
    at = text.indexOf(query, at + query.length)
  )
    found.push({ from: at, to: at + query.length });
  return found;
}

/** Letters and digits alone, folded: what is the same in a source and in what is drawn of it. */
export function essence(text: string): string {
  return folded(text).replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * How well what is around a match fits what is expected there, on both sides and as far as both are known. It is above 1 where all
 * of that is the same, and grows with how much that is.
 */
export function fits(before: string, after: string, wanted: { before: string; after: string }): number {
  const left = same(reversed(essence(before)), reversed(essence(wanted.before)));
  const right = same(essence(after), essence(wanted.after));
  const all = left.of + right.of;
  return (all === 0 ? 1 : (left.n + right.n) / all) + (left.n + right.n) / 1000;
}

/** How many characters two texts begin with that are the same, of how many they could. */
function same(a: string, b: string): { n: number; of: number } {
  const of = Math.min(a.length, b.length);
  let n = 0;
  while (n < of && a[n] === b[n]) n++;
  return { n, of };
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}
