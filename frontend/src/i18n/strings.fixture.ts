// Helpers for strings of any language.

const parts = (text: string, pattern: RegExp) => (text.match(pattern) ?? []).sort().join(' ');
export const placeholders = (text: string) => parts(text, /\{\{\w+\}\}/g);
export const markup = (text: string) => parts(text, /<\/?\w+>|`|\*\*/g);
/**
 * The end of a sentence, in English and in other languages: some use other periods, some put a closing quotation mark
 * after them.
 */
export const stops: readonly [RegExp, RegExp][] = [
  [/\.$/, /[.。]["”“」»]?$/],
  [/…$/, /…$/],
  [/[?]$/, /[?？]$/],
];

export const wordsIn = (text: string) =>
  text.replaceAll(/\{\{\w+\}\}/g, '').match(/[A-Za-z]{2,}/g)?.length ?? 0;
