import { expect, test } from 'vitest';

// Tests which folders may import which. Dependencies point down: views → queries → commands → state → cache, transport
// → transcript.

const sources = import.meta.glob<string>(['./**/*.{ts,tsx}', '!./**/*.test.*', '!./**/*.fixture.*'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

interface Import {
  from: string;
  /** A package, or a file path relative to src. */
  of: string;
  typeOnly: boolean;
}

const statement =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?([^;'"]*?\sfrom\s+)?'([^']+)'|import\(\s*'([^']+)'/g;

function importsOf(from: string, source: string): Import[] {
  return [...source.matchAll(statement)].map(([, type, names = '', plain, dynamic]) => {
    const of = plain ?? dynamic ?? '';
    return {
      from,
      of: of.startsWith('.') ? new URL(of, `file:///${from}`).pathname.slice(1) : of,
      typeOnly: type !== undefined || /^\{(?:\s*type\s[^,}]+,?)+\s*\}/.test(names),
    };
  });
}

const imports = Object.entries(sources).flatMap(([path, source]) => importsOf(path.slice(2), source));

/** Imports of a folder that break a rule, as "file -> import". */
function broken(folder: string, forbidden: (one: Import) => boolean): string[] {
  return imports
    .filter((one) => one.from.startsWith(`${folder}/`) && forbidden(one))
    .map(({ from, of }) => `${from} -> ${of}`);
}

const below = (of: string, ...folders: string[]) => folders.some((folder) => of.startsWith(`${folder}/`));
const isReact = (of: string) => /^(?:react|react-dom|@tanstack|@base-ui)(?:\/|$)/.test(of);

test('the imports of a file are read in every form', () => {
  const source = `import './a.css';\nimport { x } from '../b/c';\nimport type { Y } from './d';
import {\n  type A,\n  type B,\n} from './e';\nexport { z } from './f';\nconst g = () => import('./g');`;
  expect(importsOf('views/x/y.ts', source).map(({ of, typeOnly }) => [of, typeOnly])).toEqual([
    ['views/x/a.css', false],
    ['views/b/c', false],
    ['views/x/d', true],
    ['views/x/e', true],
    ['views/x/f', false],
    ['views/x/g', false],
  ]);
  expect(imports.length).toBeGreaterThan(1000);
});

test('the transcript and the transport do not know React', () => {
  expect(broken('transcript', ({ of }) => isReact(of))).toEqual([]);
  expect(broken('transport', ({ of }) => isReact(of))).toEqual([]);
});

test('the transcript imports nothing from other folders', () => {
  expect(broken('transcript', ({ of }) => of.includes('/') && !below(of, 'transcript'))).toEqual([]);
});

test('arrows between the layers point down', () => {
  const up: Record<string, string[]> = {
    transport: ['cache', 'state', 'commands', 'queries', 'views'],
    cache: ['state', 'commands', 'queries', 'views'],
    state: ['commands', 'queries', 'views'],
    commands: ['queries', 'views'],
    queries: ['views'],
    markdown: ['transport', 'cache', 'state', 'commands', 'queries', 'views'],
  };
  for (const [folder, above] of Object.entries(up))
    expect(broken(folder, ({ of }) => below(of, ...above))).toEqual([]);
});

test('views reach the backend only through commands and queries', () => {
  expect(broken('views', ({ of, typeOnly }) => below(of, 'transport') && !typeOnly)).toEqual([]);
  const calls = Object.entries(sources).filter(
    ([path, source]) => path.startsWith('./views/') && /\btransport\s*[.}]|\bTransport\b/.test(source),
  );
  expect(calls.map(([path]) => path)).toEqual([]);
});

/** Names of the interfaces with more than `most` fields, not counting methods. */
function largeTypes(source: string, most: number): string[] {
  return [...source.matchAll(/interface (\w+)[^{]*\{\n([\s\S]*?)\n\}/g)].flatMap(
    ([, name = '', body = '']) => {
      const fields = body.match(/^ {2}(?:readonly )?\w+\??:/gm)?.length ?? 0;
      return fields > most ? [`${name} has ${fields} fields`] : [];
    },
  );
}

test('no type of the window has more than 15 fields', () => {
  expect(largeTypes('interface A {\n  a: 1;\n  readonly b?: { c: 1 };\n  d(): void;\n}', 1)).toEqual([
    'A has 2 fields',
  ]);
  const folders = /^\.\/(?:cache|state|commands|queries)\//;
  const large = Object.entries(sources).flatMap(([path, source]) =>
    folders.test(path) ? largeTypes(source, 15).map((what) => `${path}: ${what}`) : [],
  );
  expect(large).toEqual([]);
});
