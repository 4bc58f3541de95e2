import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Random } from '../../markdown/testing/random';
import { withoutAnsi } from './ansi';
import { oneLine } from './clean';
import { ScreenText, screenPieces, screenText } from './screenText';

const esc = '\u001b';

it('shows what the backend does', () => {
  const cases = JSON.parse(readFileSync('../backend/base/clip/testdata/visible.json', 'utf8')) as Record<
    string,
    string
  >;
  expect(Object.keys(cases).length).toBeGreaterThan(50);
  for (const [text, want] of Object.entries(cases)) expect(screenText(text), JSON.stringify(text)).toBe(want);
});

describe('colors', () => {
  const looks = (text: string) => screenPieces(text).map(({ text: piece, className }) => [piece, className]);
  it.each([
    [
      `${esc}[31mred${esc}[0m.`,
      [
        ['red', 'ansi-red'],
        ['.', ''],
      ],
    ],
    [`${esc}[1;91;42mx`, [['x', 'ansi-red on-ansi-green ansi-bold']]],
    [
      `${esc}[38;5;9mx${esc}[39my`,
      [
        ['x', 'ansi-red'],
        ['y', ''],
      ],
    ],
    [`${esc}[38:5:1mx`, [['x', 'ansi-red']]],
    [`${esc}[38;2;1;2;3;1mx`, [['x', 'ansi-bold']]],
    [`${esc}[38:2::1:2:3;3mx`, [['x', 'ansi-italic']]],
    [
      `${esc}[4:3mx${esc}[4:0my`,
      [
        ['x', 'ansi-underline'],
        ['y', ''],
      ],
    ],
    [`${esc}[31;7mx`, [['x', 'on-ansi-red ansi-reverse']]],
    [
      `${esc}[31mab${esc}[0m\bc`,
      [
        ['a', 'ansi-red'],
        ['c', ''],
      ],
    ],
    ['plain', [['plain', '']]],
    ['', []],
  ])('of %j', (text, want) => expect(looks(text)).toEqual(want));
});

const words = [
  'a',
  'bc',
  'ü',
  '漢',
  '🙂',
  '\u0301',
  ' ',
  '\t',
  '\n',
  '\n',
  '\r',
  '\b',
  '\u0007',
  '\u000e',
  '\u000f',
  '\u0000',
  '\u007f',
  '\u0085',
  `${esc}[`,
  `${esc}]`,
  `${esc}P`,
  `${esc}(B`,
  `${esc}#`,
  esc,
  `${esc}\\`,
  '\u009b',
  '\u009c',
  '\u0090',
  `${esc}7`,
  `${esc}8`,
  `${esc}M`,
  `${esc}D`,
  `${esc}E`,
  '0',
  '1',
  '2',
  '31',
  '999999999',
  ';',
  ':',
  '?',
  ' ',
  'm',
  'A',
  'B',
  'C',
  'D',
  'E',
  'F',
  'G',
  'K',
  'J',
  'P',
  '@',
  'X',
  's',
  'u',
  'H',
  `${esc}[2A`,
  `${esc}[2K`,
  `${esc}[1G`,
  `${esc}[3C`,
  `${esc}[31m`,
  `${esc}[0m`,
  `${esc}(0`,
  `${esc}[2M`,
  `${esc}[H`,
  `${esc}[4b`,
  `${esc}[2J`,
  `${esc}[L`,
  `${esc}[2M`,
  `${esc}[4b`,
  `${esc}[4:3m`,
  `${esc}[J`,
  `${esc}]0;t\u0007`,
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched for
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

function randomOutput(random: Random): string {
  let text = '';
  for (let n = random.below(24); n >= 0; n--) text += random.pick(words);
  return text;
}

describe('whatever an output is', () => {
  it('is the same in two pieces, cut anywhere, and one by one', () => {
    for (let seed = 1; seed <= 1500; seed++) {
      const text = randomOutput(new Random(seed));
      const whole = new ScreenText().write(text).pieces();
      for (let at = 0; at <= text.length; at++) {
        const parts = new ScreenText().write(text.slice(0, at)).write(text.slice(at)).pieces();
        expect(parts, `seed ${seed} at ${at}: ${JSON.stringify(text)}`).toEqual(whole);
      }
      const slow = new ScreenText();
      for (let i = 0; i < text.length; i++) slow.write(text.charAt(i));
      expect(slow.pieces(), `seed ${seed}: ${JSON.stringify(text)}`).toEqual(whole);
    }
  });

  it('shows no control but a tab and the end of a line, and no more than it was given', () => {
    for (let seed = 1; seed <= 5000; seed++) {
      const text = randomOutput(new Random(seed));
      const shown = screenText(text);
      expect(shown, `seed ${seed}: ${JSON.stringify(text)}`).not.toMatch(control);
      expect(shown.length).toBeLessThan(300 * (text.length + 1));
    }
  });

  it('shows a line that a carriage return wrote over as it was written last', () => {
    const random = new Random(13);
    for (let i = 0; i < 2000; i++) {
      let text = '';
      for (let k = random.below(12); k > 0; k--) text += random.pick(['\r', '\n', 'a', 'b', '\r\n']);
      const want = text
        .replace(/\r+\n/g, '\n')
        .split('\n')
        .map((line) => line.slice(line.replace(/\r+$/, '').lastIndexOf('\r') + 1).replace(/\r+$/, ''))
        .join('\n');
      expect(screenText(text), JSON.stringify(text)).toBe(want);
    }
  });

  it.each([
    ['carriage returns', '\r'.repeat(500_000)],
    ['escapes', esc.repeat(500_000)],
    ['open sequences', `${esc}[`.repeat(250_000)],
    ['open titles', `${esc}]`.repeat(250_000)],
    ['inserted blanks', `a\r${esc}[999@`.repeat(50_000)],
    ['far columns', `${esc}[999Gx\n`.repeat(20_000)],
    ['deleted letters', `${'a'.repeat(50_000)}${esc}[1G${`${esc}[P`.repeat(500_000)}`],
    ['erased beginnings', `${'a'.repeat(50_000)}${`${esc}[1K`.repeat(500_000)}`],
    ['repeated letters', `a${esc}[999b\n`.repeat(20_000)],
    ['lines that are put in', `${'a\n'.repeat(5000)}${esc}[9999A${`${esc}[999L`.repeat(50_000)}`],
    ['tabs that are parted', `${'\t'.repeat(5000)}${esc}[1G${`${esc}[P`.repeat(50_000)}`],
    ['erased letters', `${'a'.repeat(50_000)}${esc}[1G${`${esc}[50000X`.repeat(100_000)}`],
  ])('takes no endless time for %s', (_, text) => {
    expect(screenText(text)).not.toMatch(control);
  });
});

it('leaves nothing of a sequence in a title or an error', () => {
  for (const text of [
    `a${esc}(Bb${esc}[m`,
    `a${esc}]0;t\u0007b`,
    `a${esc}=b${esc}[`,
    `a${esc}[4:3mb${esc}(`,
    `${esc}7ab`,
  ]) {
    expect(withoutAnsi(text)).toBe('ab');
    expect(oneLine(text)).toBe('ab');
  }
});
