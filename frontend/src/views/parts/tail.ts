// Expressions such as /\r+$/ take quadratic time for runs of characters, so the ends of agents' texts are trimmed by
// hand.

/** Removes trailing characters from a text. */
export function withoutTail(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/**
 * Returns the end of a truncated text from its first whole line on. If that would leave less than half of it, it starts
 * within a long line.
 */
export function fromLine(text: string): string {
  const end = text.indexOf('\n');
  if (end >= 0 && end < text.length - 1 && end <= text.length / 2) return text.slice(end + 1);
  // Don't start with half of a surrogate pair.
  return /^[\udc00-\udfff]/.test(text) ? text.slice(1) : text;
}
