import { expect, test } from 'vitest';
import en from './en.json';

const sources = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.*', '!../**/*.fixture.*'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

interface Strings {
  [key: string]: string | Strings;
}

/** All string keys, as passed to `t`. */
function keysOf(strings: Strings, prefix = ''): string[] {
  return Object.entries(strings).flatMap(([name, value]) =>
    typeof value === 'string' ? [prefix + name] : keysOf(value, `${prefix}${name}.`),
  );
}

/**
 * The keys that no literal and no template of the source mentions. An expression in a template matches a single name.
 */
function unusedKeys(keys: readonly string[], source: string): string[] {
  const literals = new Set([...source.matchAll(/'([\w.-]+)'/g)].map(([, text]) => text));
  const templates = [...source.matchAll(/`([a-z]\w*\.(?:[\w.-]|\$\{(?:[^{}]|\{[^{}]*\})*\})+)`/g)].map(
    ([, text = '']) =>
      text
        .split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/)
        .map((part) => part.replaceAll('.', '\\.'))
        .join('[^.]+'),
  );
  const template = new RegExp(`^(?:${[...new Set(templates)].join('|') || '$.'})$`);
  const isUsed = (key: string) => literals.has(key) || template.test(key);
  return keys.filter((key) => !isUsed(key) && !isUsed(key.replace(/_(?:zero|one|two|few|many|other)$/, '')));
}

test('a key counts as used if a literal or a template names it', () => {
  const keys = ['a.b', 'a.c_one', 'a.c_other', 'd.e', 'd.f.g', 'h.i'];
  const source = "t('a.b') + t('a.c', { count }) + t(`d.$" + '{x({})}`)';
  expect(unusedKeys(keys, source)).toEqual(['d.f.g', 'h.i']);
  expect(unusedKeys(keys, '')).toEqual(keys);
});

test('every string of the interface is used', () => {
  expect(unusedKeys(keysOf(en), Object.values(sources).join('\n'))).toEqual([]);
});
