// What a string has in every language.

const parts = (text: string, pattern: RegExp) => (text.match(pattern) ?? []).sort().join(' ');
export const placeholders = (text: string) => parts(text, /\{\{\w+\}\}/g);
export const markup = (text: string) => parts(text, /<\/?\w+>|`|\*\*/g);
/** Whether a sentence ends here, in English and elsewhere. Some languages have other stops, some close a quotation after them. */
export const stops: readonly [RegExp, RegExp][] = [
  [/\.$/, /[.。]["”“」»]?$/],
  [/…$/, /…$/],
  [/[?]$/, /[?？]$/],
];

export const wordsIn = (text: string) =>
  text.replaceAll(/\{\{\w+\}\}/g, '').match(/[A-Za-z]{2,}/g)?.length ?? 0;
