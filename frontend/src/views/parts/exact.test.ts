import { expect, it } from 'vitest';
import { Random } from '../../markdown/testing/random';
import { exactLine, exactWords, isDeceptive, isDeceptiveLine, spansOf } from './exact';

const exactLines = (text: string) =>
  spansOf(text, true)
    .map((one) => one.text)
    .join('');

it.each([
  ['a variation selector', 'rm\ufe0f x', 'rm\\u{fe0f} x'],
  ['a supplementary variation selector', 'rm\u{e0101}', 'rm\\u{e0101}'],
  ['a blank braille pattern', 'ls\u2800-a', 'ls\\u{2800}-a'],
  ['joiners', 'a\u200cb\u200dc', 'a\\u{200c}b\\u{200d}c'],
  ['a tag character', 'ls\u{e0061}', 'ls\\u{e0061}'],
  ['a no-break space', 'rm\u00a0-rf', 'rm\\u{a0}-rf'],
  ['an ideographic space', 'rm\u3000-rf', 'rm\\u{3000}-rf'],
  ['a soft hyphen', 'r\u00adm', 'r\\u{ad}m'],
  ['Hangul fillers', '\u3164\u115f\uffa0', '\\u{3164}\\u{115f}\\u{ffa0}'],
  ['a combining grapheme joiner', 'a\u034fb', 'a\\u{34f}b'],
  ['a bidirectional override', 'a\u202eb', 'a\\u{202e}b'],
  ['Cyrillic among Latin', 'c\u0443rl', 'c\\u{443}rl'],
  ['Greek among Latin', 'g\u03bft', 'g\\u{3bf}t'],
  [
    'a word of nothing but twins',
    '\u0455\u0441\u043e\u0440\u0435',
    '\\u{455}\\u{441}\\u{43e}\\u{440}\\u{435}',
  ],
  ['full width', '\uff52\uff4d', '\\u{ff52}\\u{ff4d}'],
  ['mathematical letters', '\u{1d42b}m', '\\u{1d42b}m'],
  ['a dash for a hyphen', 'rm \u2013rf', 'rm \\u{2013}rf'],
  ['a division slash', 'etc\u2215passwd', 'etc\\u{2215}passwd'],
  ['a Greek question mark', 'a\u037e b', 'a\\u{37e} b'],
  ['a dotless i', 'g\u0131t', 'g\\u{131}t'],
  ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
  ['private use', 'a\ue000', 'a\\u{e000}'],
])('writes out %s', (_, text, shown) => {
  expect(exactLine(text)).toBe(shown);
  expect(isDeceptive(text)).toBe(true);
});

it.each([
  'npm test -- --run "a b"',
  'cat отчёт.txt',
  'echo Привет, мир',
  'ls Übung/naïve.md',
  'open 日本語テスト.md',
  'grep ελληνικά notes',
  'git commit -m "héllo"',
  'echo 👍 done',
])('leaves honest text alone: %s', (text) => {
  expect(exactLine(text)).toBe(text);
  expect(isDeceptive(text)).toBe(false);
});

it('keeps the lines of a text, and makes one line of it where that is wanted', () => {
  expect(exactLines('a\n\tb\r\nc\rd')).toBe('a\n\tb\nc\\u{d}d');
  expect(exactWords('a\nb')).toBe('a b');
});

it.each([
  ['a line break', 'src/a\nb.ts', 'src/a↵b.ts'],
  ['a line break of Windows', 'a\r\nb', 'a↵b'],
  ['a carriage return', 'a\rb', 'a\\u{d}b'],
  ['a tab', 'a\tb', 'a⇥b'],
  ['a color code', 'a\u001b[8mb', 'a\\u{1b}[8mb'],
])('shows %s in a path', (_, text, shown) => {
  expect(exactLine(text)).toBe(shown);
  expect(isDeceptiveLine(text)).toBe(true);
});

it('leaves the typography and the emoji of prose alone, but nothing that is invisible in it', () => {
  const words = 'Don’t ask again — “npm” … ✔️ 👩‍💻 👍🏽';
  expect(exactWords(words)).toBe(words);
  expect(exactWords('a\u200db \u202ec gіt')).toBe('a\\u{200d}b \\u{202e}c g\\u{456}t');
});

it('takes dots in one sign for the rest of a text that is cut', () => {
  expect(isDeceptive('Running: npm run build && npm…')).toBe(false);
  expect(isDeceptiveLine('Fetching https://example.org/a…')).toBe(false);
});

it('lets no invisible character through, wherever it stands', () => {
  const hidden = [...Array(0x110000).keys()].filter((code) =>
    /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}]/u.test(String.fromCodePoint(code)),
  );
  const random = new Random(13);
  for (let i = 0; i < 5000; i++) {
    const code = random.pick(hidden);
    if (code === 9 || code === 10 || code === 13) continue;
    const base = 'git status && rm -rf ~/work';
    const at = random.below(base.length);
    const text = base.slice(0, at) + String.fromCodePoint(code) + base.slice(at);
    expect(exactLines(text), `U+${code.toString(16)} at ${at}`).toBe(
      `${base.slice(0, at)}\\u{${code.toString(16)}}${base.slice(at)}`,
    );
  }
});
