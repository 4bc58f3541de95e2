import { expect, test } from 'vitest';
import { visited } from './places';

const at = (path: string, line = 0) => ({ path, line, to: line, at: 0 });

test('every file stands once, where it was visited last', () => {
  const all = [at('a'), at('b'), at('a', 7), at('c')].reduce(visited, []);
  expect(all.map(({ path, line }) => `${path}:${line}`)).toEqual(['b:0', 'a:7', 'c:0']);
});

test('only the last fifty are kept', () => {
  const all = Array.from({ length: 80 }, (_, i) => at(`f${i}`)).reduce(visited, []);
  expect(all).toHaveLength(50);
  expect(all[0]?.path).toBe('f30');
});
