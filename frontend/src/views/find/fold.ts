// Normalizes text for searching. backend/conversation/search/fold.go and backend/store/find/fold.go do the same; all are tested with
// the testdata of the latter.

const ascii = /^[\0-\x7f]*$/;
const letter = /^[\p{L}\p{N}]$/u;
/** Scripts without spaces: each of their characters is a separate letter, even those that look like accents. */
const dense =
  /^(?:[ー々〆ｰ]|(?=[\p{L}\p{M}])[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Bopo}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}])$/u;
/** An accent or vowel sign that combines with another letter. */
const mark = /^\p{Mn}$/u;
/** Full-width ASCII characters. */
const wide = /^[！-／：-＠［-｀｛-～]$/;
/** Characters that a keyboard has in another form. Characters that only control line breaks or joining are removed. */
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

/** Normalizes a character: without accents and in lower case. Empty for a separate accent, which is skipped. */
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

/** A range of a text, in UTF-16 units. */
export interface TextRange {
  from: number;
  to: number;
}

/**
 * Finds a folded query in a text. Matches don't overlap and include trailing accents, and all of a character that folds
 * to several.
 */
export function matchesIn(text: string, query: string, most = Number.POSITIVE_INFINITY): TextRange[] {
  if (query === '') return [];
  if (ascii.test(text)) return plainMatches(text.toLowerCase(), query, most);
  let whole = '';
  /** The origin of each unit of the folded text. */
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const char of text) {
    const to = at + char.length;
    const one = foldChar(char);
    // An accent belongs to everything that the character before it folds to.
    if (one === '')
      for (let i = ends.length - 1, of = starts[i]; i >= 0 && starts[i] === of; i--) ends[i] = to;
    for (let i = 0; i < one.length; i++) {
      starts.push(at);
      ends.push(to);
    }
    whole += one;
    at = to;
  }
  const found: TextRange[] = [];
  for (let i = whole.indexOf(query); i >= 0 && found.length < most; ) {
    const to = ends[i + query.length - 1] ?? at;
    found.push({ from: starts[i] ?? 0, to });
    let next = i + query.length;
    while ((starts[next] ?? at) < to) next++;
    i = whole.indexOf(query, next);
  }
  return found;
}

function plainMatches(text: string, query: string, most: number): TextRange[] {
  const found: TextRange[] = [];
  for (
    let at = text.indexOf(query);
    at >= 0 && found.length < most;
    at = text.indexOf(query, at + query.length)
  )
    found.push({ from: at, to: at + query.length });
  return found;
}

/** Only letters and digits, folded: what the source and the rendered text have in common. */
export function lettersAndDigits(text: string): string {
  return folded(text).replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * Scores how well the text around a match fits the expected one, as far as both are known. Above 1 if all of it is the
 * same, growing with its length.
 */
export function contextScore(
  before: string,
  after: string,
  wanted: { before: string; after: string },
): number {
  const left = same(reversed(lettersAndDigits(before)), reversed(lettersAndDigits(wanted.before)));
  const right = same(lettersAndDigits(after), lettersAndDigits(wanted.after));
  const all = left.of + right.of;
  return (all === 0 ? 1 : (left.n + right.n) / all) + (left.n + right.n) / 1000;
}

/** Length of the common prefix, and the length of the shorter text. */
function same(a: string, b: string): { n: number; of: number } {
  const of = Math.min(a.length, b.length);
  let n = 0;
  while (n < of && a[n] === b[n]) n++;
  return { n, of };
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}
