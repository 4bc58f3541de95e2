import { expect, test } from 'vitest';
import { mentionedIn, mentionsOf } from './mentions';

const known = new Map([
  ['@a.txt', 'a.txt'],
  ['@a.txt.bak', 'a.txt.bak'],
  ['@src/', 'src/'],
  ['@src/b.ts', 'src/b.ts'],
  ['@two words.md', 'two words.md'],
  ['@two lines.md', 'two\nlines.md'],
]);

test.each([
  ['see @a.txt', ['a.txt']],
  ['@a.txt.', ['a.txt']],
  ['(@a.txt, @src/b.ts)', ['a.txt', 'src/b.ts']],
  ['@a.txt.bak', ['a.txt.bak']],
  ['@a.txt and @a.txt', ['a.txt']],
  ['@src/ and @src/b.ts', ['src/', 'src/b.ts']],
  ['@src/b.tsx', []],
  ['me@a.txt', []],
  ['@two words.md now', ['two words.md']],
  ['@two lines.md', ['two\nlines.md']],
  ['nothing', []],
])('%j', (text, paths) => {
  expect(mentionedIn(text, known)).toEqual(paths);
});

test('what is remembered belongs to its space', () => {
  mentionsOf('a').set('@x', 'x');
  expect(mentionsOf('b').size).toBe(0);
  expect(mentionsOf('a').get('@x')).toBe('x');
});
