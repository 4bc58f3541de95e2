/** The token at the caret that can be completed. */
export interface Token {
  kind: 'command' | 'file';
  /** The text between the sign and the caret. */
  query: string;
  /** Start of the token, which is its sign. */
  from: number;
  /** End of the word, after the caret. */
  to: number;
}

/** Returns the token at the caret: a slash command at the very start, or an @ after white space. */
export function tokenAt(text: string, caret: number): Token | null {
  const before = text.slice(0, caret);
  const start = Math.max(before.lastIndexOf(' '), before.lastIndexOf('\n'), before.lastIndexOf('\t')) + 1;
  const rest = text.slice(caret).search(/\s/);
  const to = rest < 0 ? text.length : caret + rest;
  const query = before.slice(start + 1);
  if (start === 0 && before.startsWith('/')) return { kind: 'command', query, from: 0, to };
  if (before[start] === '@') return { kind: 'file', query, from: start, to };
  return null;
}

/** Entries whose name starts with the query, then those that contain it in their name or words. */
export function matching<T>(
  entries: readonly T[],
  query: string,
  nameOf: (entry: T) => string,
  wordsOf: (entry: T) => string,
): T[] {
  const wanted = query.toLowerCase();
  const rank = (entry: T): number => {
    const name = nameOf(entry).toLowerCase();
    if (name.startsWith(wanted)) return 0;
    if (name.includes(wanted)) return 1;
    return wordsOf(entry).toLowerCase().includes(wanted) ? 2 : 3;
  };
  return entries
    .map((entry) => ({ entry, at: rank(entry) }))
    .filter(({ at }) => at < 3)
    .toSorted((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}
