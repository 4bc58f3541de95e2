import { withoutAnsi } from './ansi';
import { emojiPlaces } from './emoji';

// Commands, paths and arguments decide what is done, so each of their characters is shown unambiguously: invisible
// characters, unusual spaces, and letters of other scripts that look like Latin ones are shown as codes. Parts of a
// composite emoji are visible.

export interface Span {
  text: string;
  /** Its characters are shown as codes. */
  odd: boolean;
}

/** Invisible, or only visible by their effect on neighbors. */
const invisible =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/u;
/** All spaces except the normal one. */
const unusualSpace = /[\p{Zs}]/u;

// Symbols that look like ASCII without being compatibility variants: dashes, quotes, slashes, dots.
const signs = new Set(
  '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\u02d7' + // dashes
    '\u2018\u2019\u201a\u201b\u2032\u2035\u02b9\u02bb\u02bc\u02bd\u02c8\u02ca\u02cb\u00b4' + // single quotes
    '\u201c\u201d\u201e\u201f\u2033\u02ba\u3003' + // double quotes
    '\u2044\u2215\u29f8\u27cb\u2571\u29f5\u2216\ufe68\u29f9' + // slashes
    '\u02f8\u0589\u05c3\u2236\ua789\u2024\u06d4\u0660\u02d0' + // colons and stops
    '\u02c6\u02dc\u223c\u2053\u2217\u204e\u066d\u2223\u01c0\u01c3\u2039\u203a\u204f', // ^ ~ * | ! < > ;
);

// Letters of other scripts that look like Latin ones, from Unicode's confusables.
const twins = new Set(
  'аеоорсухіјѕԁԛԝһӏвнкмтьгпзѵѡүАВЕНІЈКМОРСТХУЅЗҮԌԚԜӀ' +
    'αοορνυικτχγεηωρϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺ' +
    'օոսցհզյտրաԼՕՍՏ' +
    'ᎪᎢᎬᎻᎫᏀᎷᏚᏙᏔᏃᏟᏢᏞᏴᏎᎠᎡᏀᏂ' +
    'ⲟⲣⲥⲭⲕⲙⲛⲧⲟⲞⲢⲤⲬⲔⲘⲚⲦⲎⲂ' +
    'ɑɡɩɪıȷʀʏʜʟꜱᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢƨƽ',
);

const latin = /\p{Script=Latin}/u;
const letter = /\p{L}/u;
const word = /[\p{L}\p{M}\p{N}_]+/gu;
/** Scripts that are commonly mixed; none of them looks like Latin. */
const beside = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/** Stands for the rest of a truncated text. It looks like three dots, which mean nothing to a shell. */
const ellipsis = '…';

/** Symbols and spaces of ordinary prose; they are deceptive only in commands and paths. */
const typographic = /[\u2010-\u201f\u2026\u00a0\u2009\u202f\u00b4\u2039\u203a]/;

/**
 * Splits a text into normal parts and parts shown as codes. Line breaks and tabs are kept for several lines, and become
 * symbols for one line. With `words`, the text is prose: its typography is kept, too, and its lines are joined.
 */
export function spansOf(text: string, severalLines = false, words = false): Span[] {
  const shown =
    words && !severalLines ? withoutAnsi(text).replace(/[\r\n\t]+/g, ' ') : text.replace(/\r\n/g, '\n');
  if (isPlain(shown) && (severalLines || !/[\n\t]/.test(shown)))
    return shown === '' ? [] : [{ text: shown, odd: false }];
  const strange = lookAlikeLetters(shown);
  const fine = emojiPlaces(shown, words);
  const out: Span[] = [];
  let at = 0;
  for (const char of shown) {
    const odd =
      (!severalLines && char in breaks) ||
      (!fine.has(at) && (strange.has(at) || (isOdd(char) && !(words && typographic.test(char)))));
    at += char.length;
    const written = odd ? codeOf(char) : char;
    const last = out.at(-1);
    if (last !== undefined && last.odd === odd) last.text += written;
    else out.push({ text: written, odd });
  }
  return out;
}

/** One line with each unusual character shown as a code. */
export function exactLine(text: string): string {
  return spansOf(text)
    .map((one) => one.text)
    .join('');
}

/** One line of prose with invisible and look-alike characters shown as codes. */
export function exactWords(text: string): string {
  return spansOf(text, false, true)
    .map((one) => one.text)
    .join('');
}

/** Reports whether a text contains characters that look like others. */
export function isDeceptive(text: string, words = false): boolean {
  return spansOf(text, true, words).some(({ odd }) => odd);
}

/** The same for a single line such as a path, in which a line break looks like a space. */
export function isDeceptiveLine(text: string): boolean {
  return spansOf(text).some(({ odd }) => odd);
}

function isPlain(text: string): boolean {
  return /^[\t\n -~]*$/.test(text);
}

/** A cache per character: texts have few different ones. */
const known = new Map<string, boolean>();
const mostKnown = 10_000;

function isOdd(char: string): boolean {
  if (char >= ' ' && char <= '~') return false;
  if (char === '\n' || char === '\t' || char === ellipsis) return false;
  let odd = known.get(char);
  if (odd === undefined) {
    odd = looksOdd(char);
    if (known.size >= mostKnown) known.clear();
    known.set(char, odd);
  }
  return odd;
}

function looksOdd(char: string): boolean {
  if (invisible.test(char) || unusualSpace.test(char) || signs.has(char)) return true;
  // Full-width, mathematical and other variants of ASCII.
  const folded = char.normalize('NFKC');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  return folded !== char && /^[\u0000-\u007f]+$/.test(folded);
}

/** Positions of letters that look like Latin ones: in a word of mixed scripts, or one made only of look-alikes. */
function lookAlikeLetters(text: string): Set<number> {
  const places = new Set<number>();
  for (const { 0: found, index } of text.matchAll(word)) {
    if (isPlain(found)) continue;
    const letters = [...found].filter((char) => letter.test(char));
    const hasLatin = letters.some((char) => latin.test(char) && !twins.has(char));
    const foreign = new Set(
      letters.filter((char) => (!latin.test(char) || twins.has(char)) && !beside.test(char)),
    );
    const disguised = hasLatin
      ? foreign.size > 0
      : foreign.size > 0 && [...foreign].every((char) => twins.has(char));
    if (!disguised) continue;
    let at = index;
    for (const char of found) {
      if (foreign.has(char)) places.add(at);
      at += char.length;
    }
  }
  return places;
}

/** Line breaks and gaps, with the symbols for a single line. */
const breaks: Readonly<Record<string, string>> = { '\n': '↵', '\t': '⇥' };

function codeOf(char: string): string {
  const sign = breaks[char];
  if (sign !== undefined) return sign;
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
