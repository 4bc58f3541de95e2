/** Random and hostile markdown for the fuzz tests, and random ways to cut it. */
import type { Random } from './random';

const WORDS = [
  'word',
  '*em*',
  '**strong**',
  '`code`',
  '~~gone~~',
  '[link](https://a.test/x)',
  '[ref]',
  '[ref][other]',
  '![alt](https://i.test/a.png)',
  'https://x.test/a',
  '&amp;',
  '&#0;',
  '\\*',
  '<b>',
  '<!-- c -->',
  '<script>',
  '|',
  '\t',
  '  ',
  '[^1]',
  '[^note]',
  '^[inline]',
  '*',
  '**',
  '_',
  '`',
  '``',
  '\u00a0',
  '\u202e',
  '\ud800',
  '😀',
  '\0',
  '#',
  '---',
  ':',
  '[',
  ']',
  '(',
  ')',
  '!',
  '\u2028',
  '\v',
  '\f',
];

const LINES = [
  '',
  '',
  '',
  ' ',
  '\t',
  '    ',
  '---',
  '***',
  '===',
  '--',
  '- ',
  '* ',
  '+ ',
  '1. ',
  '2) ',
  '10. ',
  '- [ ] todo',
  '- [x] done',
  '> ',
  '>',
  '>> deep',
  '# head',
  '## head ##',
  '#',
  '#######',
  '```',
  '```js',
  '````',
  '~~~',
  '~~~ info `x`',
  '``',
  '   ```',
  ' ~~~',
  '    indented',
  '\tindented',
  '   three',
  '| a | b |',
  '|---|:-:|',
  '--- | ---',
  'a | b',
  '|',
  '[ref]: https://r.test/a "title"',
  '[other]: <https://r.test/b>',
  '[ref]:',
  "'title'",
  '[late]:\n/url',
  '[^1]: a note',
  '[^note]: another',
  '    more of it',
  '<div>',
  '</div>',
  '<!--',
  '-->',
  '  - nested',
  '    - deeper',
  '   ~~~',
  '  1. one',
  '  > quote',
  '\\',
  '- ```',
  '  ```',
  '> ```',
  '> ~~~~',
  '```` js `',
  '[a]: /b\n===',
  '***bold',
  '&nbsp;',
  '- - - -',
  '- - a',
  '1986\\. x',
];

export function randomMarkdown(random: Random): string {
  const lines: string[] = [];
  const count = 1 + random.below(random.below(10) === 0 ? 60 : 16);
  for (let i = 0; i < count; i++) lines.push(randomLine(random));
  const end = random.pick(['\n', '\n', '\r\n', '\r']);
  const mixed = random.below(4) === 0;
  let text = '';
  for (const [i, line] of lines.entries()) {
    const last = i === lines.length - 1;
    text +=
      line + (last && random.below(2) === 0 ? '' : mixed ? random.pick(['\n', '\r\n', '\r', '\n\n']) : end);
  }
  return text;
}

function randomLine(random: Random): string {
  const kind = random.below(10);
  if (kind < 5) return random.pick(LINES);
  if (kind < 7) return random.pick(LINES) + randomWords(random);
  if (kind === 7) return ' '.repeat(random.below(6)) + random.pick(LINES);
  return randomWords(random);
}

function randomWords(random: Random): string {
  let text = '';
  for (let i = random.below(8); i >= 0; i--) text += random.pick(WORDS) + random.pick([' ', '', ' ']);
  return text;
}

/** Cuts a text at random places: sometimes into single characters, sometimes hardly at all. */
export function randomChunks(random: Random, text: string): string[] {
  const size = random.pick([1, 2, 3, 7, 24, 80, 400]);
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + random.below(size);
    chunks.push(text.slice(at, at + length));
    at += length;
  }
  return chunks;
}
