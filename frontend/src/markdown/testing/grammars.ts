/** Texts that repeat one construct of markdown, each in several forms. Most of them are slow in some parser. */

import { SLOW_LETTERS } from './letters';

const PIECES = [
  // links and images
  '[a](',
  '[a](<',
  '![a](',
  "[a](b '",
  '[',
  '[a',
  '[a]',
  '[a](b) ',
  '[a](http://b.c) ',
  '[a](b "c") ',
  '*[a](b)*',
  '[[[a](b)](c)](d) ',
  '![![![a](b)](c)](d)',
  '![a](b) ',
  '[a](b((((c)))) ',
  ']',
  '(',
  ')',
  '!',
  // references and footnotes
  '[a][b] ',
  '[^a] ',
  '[^1]: ',
  '[a]: b\n',
  '[a]: ',
  "[a]: b '\n",
  '[a]: b\n\n',
  '[^a]: b\n\n',
  // containers
  '>',
  '> ',
  '- ',
  '> - ',
  '1. ',
  '* ',
  '- - - ',
  '- a\n',
  '- a\n\n',
  '-\ta\n',
  '-\n',
  '>\n',
  '1. a\n\n',
  '- [ ] ',
  '- [ ] a\n',
  // emphasis
  '*',
  '**a ',
  '*a_',
  '*a* ',
  '**a*b_c__',
  '_',
  '_a ',
  '~~a',
  '~~a~~ ',
  '***a***',
  // code
  '`',
  '`` ` ',
  '`a` ',
  '` `` ``` ',
  '```\n',
  '~~~\n',
  '```a\n',
  '    a\n',
  '    a\n\n',
  // addresses
  '<',
  '<a',
  '<http://a.b>',
  '<http:',
  '<a@b.c>',
  'http://a.b/(',
  'http://',
  'http://a.b/c ',
  'https://a.b/c?d=e&f ',
  'mailto:a@b.c ',
  'mailto:',
  'a://',
  'http://a.b/"',
  '``://https://a.b/c?d=',
  // html
  '<a href="',
  '<!--',
  '<![CDATA[',
  '<?',
  // formulas
  '$',
  '$a',
  '$a$ ',
  '$$',
  '$$\n',
  '$$a\n',
  '$$a$$\n',
  '\\(',
  '\\(a\\) ',
  '\\[a\n',
  '\\[a = b\\]\n',
  // folds
  '<details>',
  '<details>\n',
  '</details>\n',
  '<details>\n<summary>\n',
  '<details><summary>a</summary>\n',
  '<details><summary>a</summary>b</details>\n',
  // characters
  '&amp;',
  '&',
  '&#x41;',
  '&aaaaaaaaaaaaaaaaaaaaaaaaaa',
  '\\',
  '\\[',
  '\u202e',
  '👩‍👩‍👧‍👦',
  '\0',
  '\u00a0',
  '"',
  ':',
  // characters that are slow to draw: contextual forms, ligatures, right-to-left, combining marks
  ...SLOW_LETTERS,
  // lines
  'a',
  ' ',
  '\t',
  '\n',
  ' \n',
  'a\\\n',
  'a  \n',
  'word ',
  'word\n',
  '#',
  '# ',
  '# a\n',
  '===\n',
  'a\n===\n',
  '---\n',
  // tables
  '| a ',
  '|',
  'a|b\n-|-\n',
  '| a | b |\n|---|---|\n',
  '>>***\na|b\n-|-\n',
  // mixtures
  '[*`<&\\',
  '*[a](b)`c`<d> &amp; ',
  'word *em* **strong** `code` [a](http://b.c) http://d.e &amp; ',
];

function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

function each(length: number, part: (index: number) => string): string {
  let text = '';
  for (let i = 0; text.length < length; i++) text += part(i);
  return text;
}

/** Yields all texts of about `length` characters, by name. */
export function* grammars(length: number): Generator<readonly [name: string, text: string]> {
  for (const piece of PIECES) {
    const name = JSON.stringify(piece);
    yield [name, repeated(piece, length)];
    yield [`${name} in paragraphs`, each(length, () => `${repeated(piece, 400)}\n\n`)];
    yield [`${name} in lines`, each(length, () => `${repeated(piece, 78)}\n`)];
  }
  const half = length / 2;
  yield ['lists that grow', each(length, (i) => `${'  '.repeat(i % 100)}- a\n`)];
  yield ['quotes that grow', each(length, (i) => `${'> '.repeat(i % 100)}a\n`)];
  yield ['deep quotes', each(length, () => `${'> '.repeat(90)}a\n`)];
  yield ['a deep quote and what follows', `${'>'.repeat(99)}\n${repeated('a\n', length)}`];
  yield ['deep lists', each(length, () => `${'- '.repeat(90)}a\n`)];
  yield ['backticks that grow', each(length, (i) => `${'`'.repeat(i % 300)}a`)];
  yield ['definitions', each(length, (i) => `[a${i}]: b\n`)];
  yield ['definitions in use', each(length, (i) => `[a${i}]: b\n\n[a${i}] `)];
  yield ['footnotes', each(length, (i) => `[^a${i}]: b\n\n`)];
  yield ['footnotes in use', each(length, (i) => `x[^a${i}]\n\n[^a${i}]: b\n\n`)];
  yield ['footnotes of footnotes', each(length, (i) => `[^a${i}]: x [^a${i + 1}]\n\n`)];
  yield ['names of footnotes that do not end', `[^a]: b\n\n${repeated('x[^', length)}`];
  yield ['one footnote', `${repeated('[^a] ', half)}\n\n[^a]: b`];
  yield ['a wide table', table(300, Math.ceil(length / 600), '|'.repeat(300))];
  yield ['a table of short rows', table(300, length / 2, 'a')];
  yield ['a very wide table', table(10_000, half / 2, 'a')];
  yield ['emphasis that closes late', repeated('*a **a ', half) + repeated('a* a** ', half)];
  yield ['links that close late', repeated('[a](', half) + repeated(')', half)];
  yield ['brackets that close late', repeated('[', half) + repeated(']', half)];
  yield ['nested links', repeated('[', half) + repeated('](a)', half)];
  yield ['many addresses', each(length, (i) => `http://a${i}.b/(c${i}) `)];
}

function table(columns: number, rows: number, row: string): string {
  return `|${'a|'.repeat(columns)}\n|${'-|'.repeat(columns)}\n${`${row}\n`.repeat(rows)}`;
}
