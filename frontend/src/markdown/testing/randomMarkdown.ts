/** Random and hostile markdown for the fuzz tests, and random ways to split it. */
import type { Random } from './random';

const MATH_WORDS = [
  '$x$',
  '$$y$$',
  '\\(a\\)',
  '\\[b = c\\]',
  '\\[d\\]',
  '$',
  '$$',
  '$5',
  '\\(',
  '\\)',
  '\\[',
  '\\]',
  '\\\\[2pt]',
  '\\$',
  '$`e`$',
  '<summary>s *t* [u](https://a.test)</summary>',
  '</details>',
  '<details>',
];

const MATH_LINES = [
  '$$',
  '$$',
  '$$ f',
  'g $$',
  '$$h$$',
  '\\[',
  '\\[ i',
  'j \\]',
  '\\]',
  '  $$',
  '  \\]',
  '- $$',
  '> \\[',
  '```math',
  '```mermaid',
];

const FOLD_LINES = [
  '<details>',
  '<details>',
  '<details open>',
  '<DETAILS onclick="a()" class=b>',
  '<summary>s</summary>',
  '<summary>',
  '</summary>',
  '</details>',
  '</details>',
  '</details></details>',
  '<details><summary>a *b*</summary>',
  '<details><summary>a [b](https://c.test)</summary>d</details>',
  '<details><summary>a</summary>b',
  '  <details>',
  '  </details>',
  '> <details>',
  '- <details>',
];

const TAG_WORDS = [
  '<br>',
  '<BR />',
  'H<sub>2</sub>O',
  '<sup>*a*</sup>',
  '<sub>',
  '</sub>',
  '<kbd>Ctrl</kbd>',
  '<kbd class=x>',
  '<!-- a -->',
  '<!--',
  '-->',
];

const TAG_LINES = [
  '<!-- b -->',
  '<!--',
  '<!-- c',
  '-->',
  'd -->',
  '--> e',
  '  <!-- f',
  '- <!--',
  '> <!-- g',
  '> -->',
  '```markdown',
  '```md',
  '````markdown',
  '```js',
  '```',
  '~~~ MD x',
  '~~~',
  '- ```markdown',
];

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

/** Generates a random text; `more` names additional syntax besides standard markdown. */
export function randomMarkdown(
  random: Random,
  more: 'math' | 'folds' | 'both' | 'tags' | 'none' = 'none',
): string {
  const lines: string[] = [];
  const count = 1 + random.below(random.below(10) === 0 ? 60 : 16);
  for (let i = 0; i < count; i++) lines.push(randomLine(random, extra[more]));
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

const extra = {
  none: { words: [], lines: [] },
  math: { words: MATH_WORDS, lines: MATH_LINES },
  folds: { words: MATH_WORDS.slice(-3), lines: FOLD_LINES },
  tags: { words: TAG_WORDS, lines: TAG_LINES },
  both: { words: MATH_WORDS, lines: [...MATH_LINES, ...FOLD_LINES] },
};

function randomLine(random: Random, more: { words: readonly string[]; lines: readonly string[] }): string {
  if (more.lines.length > 0 && random.below(2) === 0) {
    return random.pick(more.lines) + (random.below(4) === 0 ? randomWords(random, more.words) : '');
  }
  const kind = random.below(10);
  if (kind < 5) return random.pick(LINES);
  if (kind < 7) return random.pick(LINES) + randomWords(random, more.words);
  if (kind === 7) return ' '.repeat(random.below(6)) + random.pick(LINES);
  return randomWords(random, more.words);
}

function randomWords(random: Random, more: readonly string[]): string {
  let text = '';
  for (let i = random.below(8); i >= 0; i--) {
    const words = more.length > 0 && random.below(2) === 0 ? more : WORDS;
    text += random.pick(words) + random.pick([' ', '', ' ']);
  }
  return text;
}

/** Splits a text at random positions: sometimes into single characters, sometimes hardly at all. */
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
