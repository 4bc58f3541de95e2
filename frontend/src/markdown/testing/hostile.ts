/** Generates slow markdown from a seed: opening constructs, repeated and nested. */
import { SLOW_LETTERS } from './letters';
import { Random } from './random';

const OPENERS = [
  '[',
  '![',
  '[a](',
  '[a](<',
  '![a](',
  '[a](b "',
  "[a](b '",
  '[a](b (',
  '[a][',
  '[a]: ',
  '[^',
  '[^a]: ',
  '](',
  ']',
  ')',
  '(',
  '*',
  '**',
  '***',
  '_',
  '__',
  '~~',
  '*a_',
  '_a*',
  '**a *',
  '*a **b',
  'a**b',
  '`',
  '``',
  '```',
  '~~~',
  '` `` ',
  '```a\n',
  '~~~ ',
  '<',
  '<a',
  '<http:',
  '<a@',
  '<!--',
  '<?',
  '<![CDATA[',
  '</',
  '<a href="',
  '&',
  '&#',
  '&#x',
  '&amp',
  '&amp;',
  '\\',
  '\\[',
  '\\`',
  'http://',
  'http://a',
  'http://a.b/(',
  'https://a.b/c?d=',
  'mailto:',
  'a://',
  '://',
  'a@b.c ',
  'ftp://[',
  '//a.b',
  'http://a.b/"',
  '>',
  '> ',
  '>>',
  '- ',
  '* ',
  '+ ',
  '1. ',
  '1) ',
  '999999999. ',
  '- [ ] ',
  '  - ',
  '    ',
  '\t',
  '#',
  '# ',
  '###### ',
  '=',
  '===\n',
  '---\n',
  '***\n',
  '|',
  '| a ',
  '|-',
  '|:-:|',
  'a|b\n-|-\n',
  '| a | b |\n|---|---|\n',
  '$',
  '$$',
  '$a$ ',
  '$$\n',
  '\\(',
  '\\[a\n',
  '<details>\n',
  '</details>\n',
  '<details>\n<summary>',
  ':',
  '::: ',
  '==',
  '^',
  'a^',
  '‹',
  '\u202e',
  '👩‍👩‍👧‍👦',
  'é',
  '\0',
  '\u00a0',
  ...SLOW_LETTERS,
] as const;
const FILLERS = ['', '', '', 'a', ' ', '\n', '\n\n', 'a b ', 'word '] as const;
const CLOSERS = [
  '',
  '',
  ']',
  ')',
  '*',
  '_',
  '`',
  '>',
  '"',
  '](b)',
  '](<b>)',
  '\n',
  '|\n',
  '```\n',
  ']: b\n',
] as const;

/** Returns a text of about `length` characters. */
export function hostileMarkdown(seed: number, length: number): string {
  const random = new Random(seed);
  const unit = () => {
    let text = '';
    for (let i = random.below(4); i >= 0; i--) text += random.pick(OPENERS) + random.pick(FILLERS);
    return text;
  };
  const repeated = (text: string, size: number) => text.repeat(Math.ceil(size / text.length)).slice(0, size);
  const part = (size: number): string => {
    switch (random.below(8)) {
      case 0: // opened, a long middle, closed
        return repeated(unit(), size / 2) + repeated(random.pick(CLOSERS) || 'a', size / 2);
      case 1: {
        // every repetition is different
        let text = '';
        for (let i = 0; text.length < size; i++) text += random.pick(OPENERS) + i + random.pick(FILLERS);
        return text;
      }
      case 2: {
        // a random walk
        let text = '';
        while (text.length < size) text += random.pick(OPENERS) + random.pick(FILLERS) + random.pick(CLOSERS);
        return text;
      }
      case 3: {
        // lines, each inside a container
        const container = repeated(random.pick(['> ', '- ', '  ', '1. ', '>', '    ']), random.below(200));
        let text = '';
        while (text.length < size) text += `${container}${unit()}\n`;
        return text;
      }
      case 4: // one line, repeated inside another
        return `${repeated(unit(), size / 2)}\n${repeated(unit(), size / 2)}`;
      default:
        return repeated(unit(), size);
    }
  };
  const parts = 1 + random.below(3);
  let text = '';
  for (let i = 0; i < parts; i++) text += part(length / parts) + random.pick(['', '\n', '\n\n']);
  return text;
}
