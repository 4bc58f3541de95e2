import { expect, it, test } from 'vitest';
import { isNode, sources, walk } from './sources.fixture';

/** Names whose result depends on the language: strings, and formatters of numbers, dates and lists. */
function dependent(source: string): Set<string> {
  const names = new Set<string>();
  const imports = /import \{([^}]*)\} from '[^']*(?:i18n|i18n\/formats|parts\/numbers)'/g;
  for (const [, list = ''] of source.matchAll(imports))
    for (const name of list.split(',')) names.add(name.trim().split(/ as /).at(-1) ?? '');
  // These produce no text or follow language changes on their own.
  for (const name of ['onLanguageChange', 'setLanguage', '']) names.delete(name);
  return names;
}

/** Calls that run while a module loads, before a language is chosen. */
function callsAtLoading(source: string): string[] {
  const names = dependent(source);
  if (names.size === 0) return [];
  const found: string[] = [];
  walk(source, (node) => {
    if (/Function/.test(node.type)) return false;
    const callee = node['callee'];
    if (node.type === 'CallExpression' && isNode(callee) && names.has(String(callee['name'])))
      found.push(source.slice(Number(node['start']), Number(node['end'])));
    return true;
  });
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
  const found = sources.flatMap(([path, source]) => callsAtLoading(source).map((call) => `${path}: ${call}`));
  expect(found).toEqual([]);
});
