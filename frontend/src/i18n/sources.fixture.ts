import { parseAst } from 'vite';

// The sources that ship, for the tests of strings.

const all = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.*', '!../**/*.fixture.*'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Paths relative to src, with their sources. */
export const sources: readonly (readonly [path: string, source: string])[] = Object.entries(all)
  .map(([path, source]) => [path.slice(3), source] as const)
  .filter(([path]) => path.split('/')[0] !== 'gallery');

/** A node of the syntax tree. */
export interface Node {
  type: string;
  [field: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Visits the nodes of a source, parents before children. `enter` returns whether to visit the children. */
export function walk(source: string, enter: (node: Node) => boolean): void {
  const visit = (node: Node) => {
    if (!enter(node)) return;
    for (const value of Object.values(node))
      for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) visit(one);
  };
  visit(parseAst(source, { lang: 'tsx' }) as unknown as Node);
}
