import { describe, expect, test } from 'vitest';
import { matching, tokenAt } from './token';

describe('the token at the caret', () => {
  test.each([
    ['/', 1, 'command', '', 0, 1],
    ['/pl', 3, 'command', 'pl', 0, 3],
    ['/plan', 2, 'command', 'p', 0, 5],
    ['/plan it', 5, 'command', 'plan', 0, 5],
    ['see @src/ma now', 11, 'file', 'src/ma', 4, 11],
    ['@', 1, 'file', '', 0, 1],
    ['a\n@b', 4, 'file', 'b', 2, 4],
    ['a\t@b', 4, 'file', 'b', 2, 4],
  ])('%j at %i', (text, caret, kind, query, from, to) => {
    expect(tokenAt(text, caret)).toEqual({ kind, query, from, to });
  });

  test.each([
    ['', 0],
    ['hello', 3],
    ['/plan it', 7],
    ['a /plan', 7],
    ['me@example.org', 14],
    [' /plan', 6],
  ])('none in %j at %i', (text, caret) => {
    expect(tokenAt(text, caret)).toBeNull();
  });
});

test('what begins with the query comes first, what only speaks of it last', () => {
  const entries = [
    { name: 'explain', words: 'make a plan clear' },
    { name: 'replan', words: '' },
    { name: 'plan', words: '' },
    { name: 'test', words: 'planned tests' },
    { name: 'other', words: '' },
  ];
  const found = matching(
    entries,
    'Plan',
    ({ name }) => name,
    ({ words }) => words,
  );
  expect(found.map(({ name }) => name)).toEqual(['plan', 'replan', 'explain', 'test']);
});
