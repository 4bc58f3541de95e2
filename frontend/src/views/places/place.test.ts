import { expect, test } from 'vitest';
import { absolute, candidate, candidates, namedIn, parsePlace, placeAt, written } from './place';

test.each([
  ['src/a.ts', 'src/a.ts', 0, 0],
  ['src/a.ts:12', 'src/a.ts', 12, 0],
  ['src/a.ts:12:3', 'src/a.ts', 12, 3],
  ['src/a.ts:12:', 'src/a.ts', 12, 0],
  ['src/a.ts:12-20', 'src/a.ts', 12, 0],
  ['src/a.ts:12:3-14:5', 'src/a.ts', 12, 3],
  ['src/a.ts:L12', 'src/a.ts', 12, 0],
  ['src/a.ts:L12-L20', 'src/a.ts', 12, 0],
  ['src/a.ts#L12-L20', 'src/a.ts', 12, 0],
  ['src/a.ts#L12-20', 'src/a.ts', 12, 0],
  ['src/a.ts#L12', 'src/a.ts', 12, 0],
  ['src/a.ts#L12C4-L20C5', 'src/a.ts', 12, 4],
  ['src/a.ts(12,3)', 'src/a.ts', 12, 3],
  ['C:\\a b\\c.ts:7', 'C:\\a b\\c.ts', 7, 0],
  [':12', ':12', 0, 0],
  ['a:b', 'a:b', 0, 0],
])('reads %s as a path with a line', (text, path, line, column) => {
  expect(parsePlace(text)).toEqual({ path, line, column });
});

test('writes a place as it is read', () => {
  expect(['a.ts', 'a.ts:3', 'a.ts:3:4'].map((text) => written(parsePlace(text)))).toEqual([
    'a.ts',
    'a.ts:3',
    'a.ts:3:4',
  ]);
});

test('a relative path is seen from the folder', () => {
  expect(['a.ts', './b/c', '/x/y', 'C:\\x'].map((path) => absolute(path, '/home/me'))).toEqual([
    '/home/me/a.ts',
    '/home/me/b/c',
    '/x/y',
    'C:\\x',
  ]);
});

test('only what can be a path is looked for', () => {
  const may = (text: string) => candidate(text) !== null;
  expect(['src/a.ts', 'a.ts:3', 'Makefile', './x', '.env', 'a b.md'].every(may)).toBe(true);
  const never = ['count', '1.2.3', 'v2.0', '..', 'https://a.b/c', 'a/*.ts', '<a/>', 'src/', ' a.ts', 'x'];
  expect(never.filter(may)).toEqual([]);
  expect(may(`a/${'x'.repeat(400)}`)).toBe(false);
});

test.each([
  ['src/foo.ts#L10', 'src/foo.ts', 10, 0],
  ['src/foo.ts#L10-L20', 'src/foo.ts', 10, 0],
  ['foo.ts:10:5', 'foo.ts', 10, 5],
  ['/w/foo.ts:10', '/w/foo.ts', 10, 0],
  ['src/foo.ts?plain=1#L10', 'src/foo.ts', 10, 0],
  ['file:///w/foo.ts', '/w/foo.ts', 0, 0],
  ['file:///w/foo.ts:10', '/w/foo.ts', 10, 0],
  ['file:///w/a%20b%23.ts#L10-L20', '/w/a b#.ts', 10, 0],
  ['file:///w/a b.ts:3:4', '/w/a b.ts', 3, 4],
  ['FILE://localhost/w/foo.ts', '/w/foo.ts', 0, 0],
  ['file:///w/100%.ts', '/w/100%.ts', 0, 0],
  ['C:\\src\\foo.ts:10', 'C:\\src\\foo.ts', 10, 0],
  ['C:/src/foo.ts#L3', 'C:/src/foo.ts', 3, 0],
  ['file:///C:/src/foo.ts:10:2', 'C:/src/foo.ts', 10, 2],
])('reads the link %s as a path with a line', (address, path, line, column) => {
  expect(placeAt(address)).toEqual({ path, line, column });
});

test('no other link is a path', () => {
  const never = [
    'https://a.b/c.ts#L3',
    'http://a.b',
    'mailto:a@b.c',
    'javascript:alert(1)//a.ts',
    'data:text/html,a.ts',
    'file://host/share/a.ts',
    'file:a.ts',
    'file:////host/share/a.ts',
    'vscode://file/w/a.ts',
    '#L10',
    '',
    'src/',
  ];
  expect(never.filter((address) => placeAt(address) !== null)).toEqual([]);
});

test('finds what may be paths in a title', () => {
  const names = (title: string) =>
    candidates(title).map(({ from, to, place }) => [title.slice(from, to), place.path, place.line]);
  expect(names('Read `src/a.ts:12` (b.md), then c.go.')).toEqual([
    ['src/a.ts:12', 'src/a.ts', 12],
    ['b.md', 'b.md', 0],
    ['c.go', 'c.go', 0],
  ]);
  expect(names('Count the trees')).toEqual([]);
  expect(names('a.a b.b c.c d.d')).toHaveLength(3);
});

test('finds the file of a location in a title, as a whole word', () => {
  const at = (title: string, ...ways: string[]) => {
    const found = namedIn(title, ways);
    return found === null ? null : title.slice(found.from, found.to);
  };
  expect(at('Read main.go:7', '/w/main.go', 'main.go')).toBe('main.go:7');
  expect(at('Edit a b.md, twice', 'a b.md')).toBe('a b.md');
  expect(at('Read domain.go', 'main.go')).toBe(null);
  expect(at('Read main.gox', 'main.go')).toBe(null);
});
