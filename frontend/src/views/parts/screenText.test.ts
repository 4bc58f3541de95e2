import { describe, expect, it } from 'vitest';
import { Random } from '../../markdown/testing/random';
import { withoutAnsi } from './ansi';
import { oneLine } from './clean';
import { ScreenText, screenPieces, screenText } from './screenText';

const esc = '\u001b';

it.each([
  // What means something only to a terminal goes.
  [`a${esc}(Bb${esc}[m`, 'ab'], // tput sgr0
  [`${esc}(B${esc})0${esc}*A${esc}%Gx`, 'x'],
  [`${esc}#8x${esc} Fy`, 'xy'],
  ['a\u000eb\u000fc\u0007d\u0000e', 'abcde'],
  [`${esc}=a${esc}>b${esc}Hc`, 'abc'],
  [`${esc}[4:3ma${esc}[58:2::1:2:3mb${esc}[38:5:1mc`, 'abc'],
  [`${esc}]0;title\u0007a${esc}]8;;https://a.b${esc}\\link${esc}]8;;${esc}\\`, 'alink'],
  [`${esc}P1$r0m${esc}\\a${esc}_x${esc}\\b${esc}^y${esc}\\c`, 'abc'],
  [`${esc}]0;no end\nb`, '\nb'],
  [`${esc}[?25la${esc}[?2004h${esc}[>4;2mb${esc}[!pc${esc}[2 qd`, 'abcd'],
  ['\u009b31ma\u009dtitle\u009cb', 'ab'],
  [`a${esc}`, 'a'],
  [`a${esc}[31`, 'a'],
  [`a${esc}(`, 'a'],
  // Letters of other languages stay.
  [`${esc}[1mäöü 漢字 עברית${esc}[0m 🙂`, 'äöü 漢字 עברית 🙂'],
  [`${esc}ä`, 'ä'],
  // The cursor is moved, and lines are written over.
  ['abc\b\bX', 'aXc'],
  ['\b\ba', 'a'],
  ['a_\bb_\bc', 'abc'],
  [`abc${esc}[1GX`, 'Xbc'],
  [`abc${esc}[2GX`, 'aXc'],
  [`${esc}[5Gx`, '    x'],
  [`one\ntwo\n${esc}[2A${esc}[2KONE\n`, 'ONE\ntwo\n'],
  [`one\ntwo\n${esc}[1A${esc}[2Kthree\n`, 'one\nthree\n'],
  [`one\ntwo${esc}[1F${esc}[Kx`, 'x\ntwo'],
  [`a\nb\nc${esc}[2A\r${esc}[Jx`, 'x'],
  [`abc${esc}[2D${esc}[K`, 'a'],
  [`abc${esc}[1K`, '   '],
  [`abc${esc}[3G${esc}[P${esc}[1G${esc}[@x`, 'xab'],
  [`abc\r${esc}[Xd`, 'dbc'],
  [`ab${esc}7cd${esc}8X`, 'abXd'],
  [`${esc}[99Ax`, 'x'],
  [`a${esc}Mb`, 'ab'],
  ['10 %\r20 %\r100 %\ndone', '100 %\ndone'],
  ['Downloading\rDone', 'Done'],
  ['a\r\nb\r\n', 'a\nb\n'],
  ['e\u0301\bx', 'x'],
  ['tab\tstays', 'tab\tstays'],
  // A character may take several columns, and what is written over half of it takes all.
  ['漢字\b\bX', '漢X '],
  [`漢字${esc}[5GX`, '漢字X'],
  [`👍 ok${esc}[4Gno`, '👍 no'],
  [`👍🏽x\bY 🇩🇪x\bY`, '👍🏽Y 🇩🇪Y'],
  [`漢字${esc}[2GX${esc}[4G${esc}[K`, ' X '],
  [`a\tb${esc}[9GX${esc}[1GY`, 'Y\tX'],
  [`a\tb${esc}[3GX`, 'a X     b'],
  [`abcdefghij${esc}[1G\tX`, 'abcdefghXj'],
  [`${esc}[3C${esc}[2Xa`, '   a '],
  // Lines are put in and taken out, letters repeated, boxes drawn.
  [`a\nb\n${esc}[2A${esc}[Lx`, 'x\na\nb\n'],
  [`a\nb\nc\n${esc}[3A${esc}[2M`, 'c\n'],
  [`-${esc}[5b|${esc}[31m${esc}[b`, '------||'],
  [`${esc}(0lqk${esc}(B x ${esc})0\u000emj\u000fmj`, '┌─┐ x └┘mj'],
  // Where the screen begins isn't known: what is written somewhere on it is a line of its own.
  [`abc${esc}[2J${esc}[Hdef`, 'abc\ndef'],
  [`abc${esc}cdef`, 'abc\ndef'],
  [`${esc}[1;1Hone${esc}[2;1Htwo`, 'one\ntwo'],
  [`${esc}7${esc}[24;0fProgress: [ 10%]${esc}8Unpacking a\ndone`, 'Unpacking a\ndone'],
  ['a\n\n', 'a\n\n'],
])('%j is %j', (text, want) => expect(screenText(text)).toBe(want));

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
  `${esc}[L`,
  `${esc}[2M`,
  `${esc}[4b`,
  `${esc}[4:3m`,
  `${esc}[J`,
  `${esc}]0;t\u0007`,
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
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
