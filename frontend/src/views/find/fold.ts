// What is the same for a search. backend/search/fold.go and backend/store/find/fold.go fold the same way; all are held to the testdata
// of the latter.

const ascii = /^[\0-\x7f]*$/;
const letter = /^[\p{L}\p{N}]$/u;
/** The scripts that are written without spaces: each of their characters is a letter of its own, also those that look like accents. */
const dense =
  /^(?:[ー々〆ｰ]|(?=[\p{L}\p{M}])[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Bopo}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}])$/u;
/** An accent or a vowel sign that stands over, under or in another letter. */
const mark = /^\p{Mn}$/u;
/** Signs of ASCII in the width of Chinese letters. */
const wide = /^[！-／：-＠［-｀｛-～]$/;
/** Characters that a keyboard has in another form. What only says where a line may be broken, or how letters are joined, is left out. */
const special: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ẞ: 'ss', æ: 'ae', Æ: 'ae', œ: 'oe', Œ: 'oe', ø: 'o', Ø: 'o', đ: 'd', Đ: 'd' },
  ...{ ł: 'l', Ł: 'l', ı: 'i', þ: 'th', Þ: 'th', ς: 'σ' },
  ...each("'", '‘’‚‛′'),
  ...each('"', '“”„‟″'),
  ...each('-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d'),
  ...each(
    ' ',
    '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
  ),
  ...each('', '\u00ad\u200b\u200c\u200d\u2060\ufeff'),
  ...{ '…': '...', '⋯': '...', '‥': '..' },
};

function each(plain: string, others: string): Record<string, string> {
  return Object.fromEntries([...others].map((char) => [char, plain]));
}

const known = new Map<string, string>();

/** A character as a search compares it: without accents and in lower case; empty for an accent by itself, which is left out. */
function foldChar(char: string): string {
  let out = known.get(char);
  if (out === undefined) {
    out = ascii.test(char) ? char.toLowerCase() : foldOther(char);
    known.set(char, out);
  }
  return out;
}

function foldOther(char: string): string {
  if (dense.test(char)) return char;
  if (mark.test(char)) return '';
  const own = special[char];
  if (own !== undefined) return own;
  if (wide.test(char)) return String.fromCharCode(char.charCodeAt(0) - 0xfee0);
  if (!letter.test(char)) return alone(char.toLowerCase(), char);
  let out = '';
  for (const part of char.normalize('NFKD')) {
    if (mark.test(part)) continue;
    const own = special[part];
    if (own !== undefined) out += own;
    else if (letter.test(part) || dense.test(part)) out += alone(part.toLowerCase(), part);
  }
  return out;
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

/** Where a folded query is in a text. Matches don't overlap; accents behind one belong to it, and all of a character that is folded to several. */
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
    // An accent belongs to all that the character before it is folded to.
    if (one === '')
      for (let i = ends.length - 1, of = starts[i]; i >= 0 && starts[i] === of; i--) ends[i] = to;
    for (let i = 0; i < one.length; i++) {
      starts.push(at);
      ends.push(to);
    }
    whole += one;
    at = to;
  }
  const found: Stretch[] = [];
  for (let i = whole.indexOf(query); i >= 0 && found.length < most; ) {
    const to = ends[i + query.length - 1] ?? at;
    found.push({ from: starts[i] ?? 0, to });
    let next = i + query.length;
    while ((starts[next] ?? at) < to) next++;
    i = whole.indexOf(query, next);
  }
  return found;
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
