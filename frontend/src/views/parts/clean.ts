import { withoutAnsi } from './ansi';
import { emojiPlaces } from './emoji';

// Titles, paths and names come from agents and tools. Characters that would hide or reorder text are shown as codes.

// Bidirectional controls, zero-width characters and control characters.
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|[\u{e0000}-\u{e007f}]/gu;

// Characters that no ordinary source needs: they reorder a line, or are invisible letters, spaces and tags.
const deceptive =
  /[\u115f\u1160\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\u3164\uffa0]|[\u{e0001}-\u{e007f}]/u;

/** Reports whether a line of a file contains characters that hide or reorder text. */
export function hasHiddenCharacters(text: string): boolean {
  return deceptive.test(text);
}

/** More characters than a line of the window can show: a longer line would be laid out as a whole to show its start. */
const longestLine = 500;

/** Returns untrusted text as one line, truncated to what a line can show. */
export function oneLine(text: string): string {
  // Don't end with half of a surrogate pair.
  return wholeLine(
    text.length > longestLine ? `${text.slice(0, longestLine).replace(/[\ud800-\udbff]$/, '')}…` : text,
  );
}

/** Returns untrusted text as one complete line: controls are shown as codes, line breaks become spaces. */
export function wholeLine(text: string): string {
  return escapeHidden(withoutAnsi(text).replace(/[\r\n\t]+/g, ' '), '');
}

/** Returns untrusted text of several lines: line breaks and tabs stay. */
export function lines(text: string): string {
  return escapeHidden(text.replace(/\r\n/g, '\n'), '\n\t');
}

/** Shows hidden characters as codes, except those in `kept`, and joiners in emoji. */
function escapeHidden(text: string, kept: string): string {
  const emoji = emojiPlaces(text);
  return text.replace(hidden, (char, at: number) =>
    kept.includes(char) || emoji.has(at) ? char : written(char),
  );
}

function written(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
