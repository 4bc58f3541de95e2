import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { contextScore, folded, matchesIn } from './fold';

it('folds as the backend does', () => {
  const cases = JSON.parse(readFileSync('../backend/store/find/testdata/fold.json', 'utf8')) as Record<
    string,
    string
  >;
  for (const [text, want] of Object.entries(cases)) expect(folded(text), text).toBe(want);
});

it('finds the matches that the backend finds', () => {
  const lines = readFileSync('../backend/store/find/testdata/matches.jsonl', 'utf8').trim().split('\n');
  const bytes = (text: string) => Buffer.byteLength(text);
  for (const line of lines) {
    const { text, query, at = [] } = JSON.parse(line) as { text: string; query: string; at?: number[][] };
    const found = matchesIn(text, folded(query)).map(({ from, to }) => [
      bytes(text.slice(0, from)),
      bytes(text.slice(0, to)),
    ]);
    expect(found, line).toEqual(at);
  }
});

it('finds matches where they are in the text', () => {
  const found = (text: string, query: string) =>
    matchesIn(text, folded(query)).map(({ from, to }) => text.slice(from, to));
  expect(found('Größe, GRÖSSE, große', 'größe')).toEqual(['Größe', 'GRÖSSE', 'große']);
  expect(found('caf\u00e9 cafe\u0301 CAFE', 'café')).toEqual(['café', 'cafe\u0301', 'CAFE']);
  expect(found('Straße ﬁn', 's')).toEqual(['S', 'ß']);
  expect(found('Straße ﬁn', 'in')).toEqual(['ﬁn']);
  expect(found('aaaa', 'aa')).toEqual(['aa', 'aa']);
  expect(found('😀x😀X', '😀x')).toEqual(['😀x', '😀X']);
  expect(found('が か', 'か')).toEqual(['か']);
  expect(found('anything', '\u0301')).toEqual([]);
});

it('tells matches apart by what is around them, whatever marks up the text', () => {
  const wanted = { before: 'the **quick** ', after: ' fox `jumps`' };
  expect(contextScore('The quick ', ' fox jumps over', wanted)).toBeGreaterThan(1);
  expect(contextScore('A slow ', ' fox sleeps', wanted)).toBeLessThan(0.5);
  expect(contextScore('', '', { before: '', after: '' })).toBe(1);
});
