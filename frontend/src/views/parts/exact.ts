import { withoutAnsi } from './ansi';
import { emojiPlaces } from './emoji';

// Commands, paths and arguments decide what is done, so each character of them is shown as what it is: what is
// invisible, what looks like a space, and letters of other scripts that pass for Latin ones are written out as codes. What makes
// one emoji of several is seen.

export interface Stretch {
  text: string;
  /** Its characters are written out as codes. */
  odd: boolean;
}

/** Invisible, or only seen by what it does to its neighbors. */
const unseen =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/u;
/** Every space but the one that is a space. */
const oddSpace = /[\p{Zs}]/u;

// Signs that pass for ASCII ones but aren't the same as any under compatibility: dashes, quotes, slashes, stops.
const signs = new Set(
  '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\u02d7' + // dashes
    '\u2018\u2019\u201a\u201b\u2032\u2035\u02b9\u02bb\u02bc\u02bd\u02c8\u02ca\u02cb\u00b4' + // single quotes
    '\u201c\u201d\u201e\u201f\u2033\u02ba\u3003' + // double quotes
    '\u2044\u2215\u29f8\u27cb\u2571\u29f5\u2216\ufe68\u29f9' + // slashes
    '\u02f8\u0589\u05c3\u2236\ua789\u2024\u06d4\u0660\u02d0' + // colons and stops
    '\u02c6\u02dc\u223c\u2053\u2217\u204e\u066d\u2223\u01c0\u01c3\u2039\u203a\u204f', // ^ ~ * | ! < > ;
);

// Letters of other scripts that look like Latin ones, from the confusables of Unicode.
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
/** Scripts that are written together in ordinary text; none of them looks like Latin. */
const beside = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/** Stands for the rest of a text that is cut. It passes for three dots, which mean nothing to a shell. */
const continued = '…';

/** Signs and spaces that belong to ordinary prose; they deceive only where they act. */
const typographic = /[\u2010-\u201f\u2026\u00a0\u2009\u202f\u00b4\u2039\u203a]/;

/**
 * The text in stretches: as it is, and written out. Line breaks and tabs stay where several lines are wanted, and are signs where
 * one line is. Words are prose that doesn't act: their typography stays, too, and their lines become one.
 */
export function stretches(text: string, severalLines = false, words = false): Stretch[] {
  const shown =
    words && !severalLines ? withoutAnsi(text).replace(/[\r\n\t]+/g, ' ') : text.replace(/\r\n/g, '\n');
  if (isPlain(shown) && (severalLines || !/[\n\t]/.test(shown)))
    return shown === '' ? [] : [{ text: shown, odd: false }];
  const strange = strangeLetters(shown);
  const fine = emojiPlaces(shown, words);
  const out: Stretch[] = [];
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

/** Text of one line with each odd character written out. */
export function exactLine(text: string): string {
  return stretches(text)
    .map((one) => one.text)
    .join('');
}

/** Prose of one line with what is invisible or passes for something else written out. */
export function exactWords(text: string): string {
  return stretches(text, false, true)
    .map((one) => one.text)
    .join('');
}

/** Whether a text has characters that are not what they look like. */
export function isDeceptive(text: string, words = false): boolean {
  return stretches(text, true, words).some(({ odd }) => odd);
}

/** The same of what should be one line, such as a path: a line break in it passes for a space. */
export function isDeceptiveLine(text: string): boolean {
  return stretches(text).some(({ odd }) => odd);
}

function isPlain(text: string): boolean {
  return /^[\t\n -~]*$/.test(text);
}

/** What is known of characters: texts have few different ones. */
const known = new Map<string, boolean>();
const mostKnown = 10_000;

function isOdd(char: string): boolean {
  if (char >= ' ' && char <= '~') return false;
  if (char === '\n' || char === '\t' || char === continued) return false;
  let odd = known.get(char);
  if (odd === undefined) {
    odd = looksOdd(char);
    if (known.size >= mostKnown) known.clear();
    known.set(char, odd);
  }
  return odd;
}

function looksOdd(char: string): boolean {
  if (unseen.test(char) || oddSpace.test(char) || signs.has(char)) return true;
  // Full width, mathematical and other variants of ASCII.
  const folded = char.normalize('NFKC');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  return folded !== char && /^[\u0000-\u007f]+$/.test(folded);
}

/** The places of letters that pass for Latin ones: in a word of several scripts, or one that is nothing but twins. */
function strangeLetters(text: string): Set<number> {
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

/** What ends a line or leaves a gap, and its sign where there is one line only. */
const breaks: Readonly<Record<string, string>> = { '\n': '↵', '\t': '⇥' };

function codeOf(char: string): string {
  const sign = breaks[char];
  if (sign !== undefined) return sign;
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
