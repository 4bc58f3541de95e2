// Expressions such as /\r+$/ look at a run of characters once for each of them, so that the ends of agents' texts are cut by hand.

/** The text without those of `characters` at its end. */
export function withoutTail(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/**
 * The end of a text of which the start isn't shown, from its first whole line on. Where that would leave less than half of it, it is one long line, and
 * begins within that.
 */
export function fromLine(text: string): string {
  const end = text.indexOf('\n');
  if (end >= 0 && end < text.length - 1 && end <= text.length / 2) return text.slice(end + 1);
  // Half a character isn't one.
  return /^[\udc00-\udfff]/.test(text) ? text.slice(1) : text;
}
