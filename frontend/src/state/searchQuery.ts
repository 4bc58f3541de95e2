// Filters in a search query. The backend evaluates them; this module lists, adds and removes them.

export const filterNames = ['kind', 'agent', 'space', 'file', 'after', 'before', 'has'] as const;
export type FilterName = (typeof filterNames)[number];

export interface Filter {
  name: FilterName;
  value: string;
  /** Excludes matches. */
  not: boolean;
  /** Its position in the query. */
  from: number;
  to: number;
}

const pattern = /(?<=^|\s)(-?)(space|agent|kind|file|before|after|has):("[^"]*"|[^\s"]\S*)(?=\s|$)/gi;

/** The filters of a query that have a value. */
export function filtersOf(query: string): Filter[] {
  // Quoted text is literal.
  const plain = query.replace(/(?<=^|\s)-?"[^"]*("|$)/g, (quoted) => '_'.repeat(quoted.length));
  return [...plain.matchAll(pattern)].map((match) => ({
    name: (match[2] ?? '').toLowerCase() as FilterName,
    value: query
      .slice(match.index, match.index + match[0].length)
      .slice((match[1] ?? '').length + (match[2] ?? '').length + 1)
      .replaceAll('"', ''),
    not: match[1] === '-',
    from: match.index,
    to: match.index + match[0].length,
  }));
}

/** Removes a filter from the query. */
export function withoutFilter(query: string, { from, to }: Filter): string {
  return `${query.slice(0, from).trimEnd()} ${query.slice(to).trimStart()}`.trim();
}

/** Inserts a filter before the words, so that the user keeps typing the last word. */
export function withFilter(query: string, name: FilterName, value: string): string {
  const written = `${name}:${/\s/.test(value) ? `"${value.replaceAll('"', '')}"` : value.replaceAll('"', '')}`;
  const same = filtersOf(query).some(
    (one) => !one.not && one.name === name && one.value === value.replaceAll('"', ''),
  );
  return same ? query : `${written} ${query}`.trimEnd().concat(query === '' ? ' ' : '');
}
