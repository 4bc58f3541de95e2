import { withoutAnsi } from './ansi';
import { emojiPlaces } from './emoji';

// Titles, paths and names come from agents and tools. Characters that would hide or reorder
// what is there are shown as what they are.

// Bidirectional controls, zero-width characters and the control characters.
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|[\u{e0000}-\u{e007f}]/gu;

// Those that no ordinary source needs: they reorder a line, or are letters, spaces and tags that are not seen.
const deceptive =
  /[\u115f\u1160\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\u3164\uffa0]|[\u{e0001}-\u{e007f}]/u;

/** Whether a line of a file has characters that hide or reorder what is there. */
export function deceives(text: string): boolean {
  return deceptive.test(text);
}

/** More characters than a line of the window has room for: all of a longer line would be laid out to show its start. */
const longestLine = 500;

/** The start of one line of untrusted text, which is all of it but for what no line has room for. */
export function oneLine(text: string): string {
  // Half a character isn't one.
  return wholeLine(
    text.length > longestLine ? `${text.slice(0, longestLine).replace(/[\ud800-\udbff]$/, '')}…` : text,
  );
}

/** One line of untrusted text, of which all counts: controls are written out, line breaks become spaces. */
export function wholeLine(text: string): string {
  return seen(withoutAnsi(text).replace(/[\r\n\t]+/g, ' '), '');
}

/** Untrusted text of several lines: line breaks and tabs stay. */
export function lines(text: string): string {
  return seen(text.replace(/\r\n/g, '\n'), '\n\t');
}

/** The text with what is hidden in it written out, but for what is kept, and joiners in emoji. */
function seen(text: string, kept: string): string {
  const emoji = emojiPlaces(text);
  return text.replace(hidden, (char, at: number) =>
    kept.includes(char) || emoji.has(at) ? char : written(char),
  );
}

function written(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
