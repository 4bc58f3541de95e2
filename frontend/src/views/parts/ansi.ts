// Escape sequences of terminals, which titles and errors repeat. What a terminal shows of an output is in screenText.ts.

/** Sequences, whole or cut off at the end of a text. */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  /\u001b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|[\]PX^_][^\u0007\n\u001b]*(?:\u0007|\u001b\\|(?=[\n\u001b])|$)|[ -/]*(?:[0-Z\\^-~]|$))/g;

/** The text without any of it. */
export function withoutAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(sequences, '') : text;
}
