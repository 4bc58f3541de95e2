import { parseAst } from 'vite';
import { expect, it, test } from 'vitest';

const sources = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.*', '!../**/*.fixture.*'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

interface Node {
  type: string;
  [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** What depends on the language: strings, and what writes numbers, dates and lists. */
function dependent(source: string): Set<string> {
  const names = new Set<string>();
  const imports = /import \{([^}]*)\} from '[^']*(?:i18n|i18n\/formats|parts\/numbers)'/g;
  for (const [, list = ''] of source.matchAll(imports))
    for (const name of list.split(',')) names.add(name.trim().split(/ as /).at(-1) ?? '');
  // These say nothing in a language, or follow it by themselves.
  for (const name of ['onSpoken', 'speak', '']) names.delete(name);
  return names;
}

/** The calls that are made while a module is loaded, when no language has been chosen yet. */
function callsAtLoading(source: string): string[] {
  const names = dependent(source);
  const found: string[] = [];
  const visit = (node: Node) => {
    if (/Function/.test(node.type)) return;
    const callee = node['callee'];
    if (node.type === 'CallExpression' && isNode(callee) && names.has(String(callee['name'])))
      found.push(source.slice(Number(node['start']), Number(node['end'])));
    for (const value of Object.values(node))
      for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) visit(one);
  };
  if (names.size > 0) visit(parseAst(source, { lang: 'tsx' }) as unknown as Node);
  return found;
}

it.each([
  ["const title = t('a.b');", ["t('a.b')"]],
  ["const labels = { copy: t('a.b'), n: [t('a.c')] };", ["t('a.b')", "t('a.c')"]],
  ["const title = () => t('a.b');", []],
  ["const labels = { get copy() { return t('a.b'); } };", []],
  ["function View() { return <p title={t('a.b')} />; }", []],
])('%s', (source, calls) => {
  expect(callsAtLoading(`import { t } from '../i18n';\n${source}`)).toEqual(calls);
});

test('no string is read before the language is known', () => {
  const shipped = Object.entries(sources).filter(([path]) => path.split('/')[1] !== 'gallery');
  const found = shipped.flatMap(([path, source]) =>
    callsAtLoading(source).map((call) => `${path.slice(3)}: ${call}`),
  );
  expect(found).toEqual([]);
});
