// Escape sequences of terminals, which tools print and errors repeat.

/** Sequences that move a cursor or set a title: they mean nothing in a page. Colors stay. */
export const notColour =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  /\u001b(?:\[[0-?]*[ -/]*[@-ln-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[@-Z\\-_=>])/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const colour = /\u001b\[[0-9;:]*m/g;

/** The text without any of it. */
export function withoutAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(notColour, '').replace(colour, '') : text;
}
