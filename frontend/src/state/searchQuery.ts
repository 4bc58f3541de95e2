// Filters as they are written in a query. The backend reads them; here they are shown, added and taken out.

export const filterNames = ['kind', 'agent', 'space', 'file', 'after', 'before', 'has'] as const;
export type FilterName = (typeof filterNames)[number];

export interface Filter {
  name: FilterName;
  value: string;
  /** What fits it is left out. */
  not: boolean;
  /** Where it is in the query. */
  from: number;
  to: number;
}

const pattern = /(?<=^|\s)(-?)(space|agent|kind|file|before|after|has):("[^"]*"|[^\s"]\S*)(?=\s|$)/gi;

/** The filters of a query that have a value. */
export function filtersOf(query: string): Filter[] {
  // What is in quotes is looked for as it is.
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

/** The query without one of its filters. */
export function withoutFilter(query: string, { from, to }: Filter): string {
  return `${query.slice(0, from).trimEnd()} ${query.slice(to).trimStart()}`.trim();
}

/** The query with a filter before its words, so that the last word is still being typed. */
export function withFilter(query: string, name: FilterName, value: string): string {
  const written = `${name}:${/\s/.test(value) ? `"${value.replaceAll('"', '')}"` : value.replaceAll('"', '')}`;
  const same = filtersOf(query).some(
    (one) => !one.not && one.name === name && one.value === value.replaceAll('"', ''),
  );
  return same ? query : `${written} ${query}`.trimEnd().concat(query === '' ? ' ' : '');
}
