// Removes terminal escape sequences, which titles and errors may contain. For terminal output, see screenText.ts.

/** Sequences, complete or truncated at the end of a text. */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with one
  /\u001b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|[\]PX^_][^\u0007\n\u001b]*(?:\u0007|\u001b\\|(?=[\n\u001b])|$)|[ -/]*(?:[0-Z\\^-~]|$))/g;

/** Returns the text without escape sequences. */
export function withoutAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(sequences, '') : text;
}
