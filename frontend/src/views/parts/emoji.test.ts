import { describe, expect, it } from 'vitest';
import { Random } from '../../markdown/testing/random';
import { lines, oneLine, wholeLine } from './clean';
import { emojiPlaces, endOfEmoji } from './emoji';
import { exactLine, exactWords, isDeceptive, isDeceptiveLine } from './exact';

const joiner = '\u200d';
const selector = '\ufe0f';
const tones = ['\u{1f3fb}', '\u{1f3ff}'];
// Symbols that need a variation selector, and emoji that don't.
const signs = ['❤', '⚠', '✔', '♂', '\u{1f441}', '\u{1f3f3}'];
const pictures = ['👩', '👨', '👧', '💻', '🚀', '\u{1f9d1}', '🔥'];
const plain = ['a', 'Z', '7', ' ', '-', '/', '.', '日', 'é', 'ि', '\u{1f1e9}', '#', '•'];
/** A pictograph with its possible modifiers. */
function randomPictograph(random: Random): string {
  return (
    random.pick([...signs, ...pictures]) +
    random.pick(['', '', selector, random.pick(tones), selector + tones[0]])
  );
}

describe('joiners and selectors', () => {
  it('are drawn between pictographs, whatever is around them', () => {
    for (let seed = 1; seed <= 4000; seed++) {
      const random = new Random(seed);
      let glyph = randomPictograph(random);
      for (let n = random.below(4); n >= 0; n--) glyph += joiner + randomPictograph(random);
      const text = random.pick(plain) + glyph + random.pick(plain);
      for (const shown of [exactLine, exactWords, oneLine, wholeLine, lines])
        expect(shown(text), `${seed} ${shown.name}`).toBe(text);
      expect(isDeceptive(text) || isDeceptiveLine(text), String(seed)).toBe(false);
      // A cut inside moves to its end.
      const from = text.indexOf(glyph);
      const at = from + 1 + random.below(glyph.length - 1);
      expect(endOfEmoji(text, at), String(seed)).toBe(from + glyph.length);
      expect([endOfEmoji(text, from), endOfEmoji(text, from + glyph.length)]).toEqual([
        from,
        from + glyph.length,
      ]);
    }
  });

  it('are written out everywhere else', () => {
    const pieces = [
      ...plain,
      ...signs,
      ...pictures,
      ...tones,
      joiner,
      joiner,
      selector,
      '\u200c',
      '\u{e0067}',
    ];
    for (let seed = 1; seed <= 6000; seed++) {
      const random = new Random(seed);
      const chars = Array.from({ length: 1 + random.below(8) }, () => random.pick(pieces));
      const text = chars.join('');
      const shown = exactLine(text);
      // Each visible joiner has a pictograph on both sides.
      for (const { index } of shown.matchAll(/\u200d/gu)) {
        expect(shown.slice(0, index), escape(text)).toMatch(
          /\p{Extended_Pictographic}(\ufe0f?\p{EMod}|\p{EMod}?\ufe0f)?$/u,
        );
        expect(shown.slice(index + 1), escape(text)).toMatch(/^\p{Extended_Pictographic}/u);
      }
      // Each selector follows a symbol, or is next to a joiner.
      for (const { index } of shown.matchAll(/\ufe0f/gu))
        expect(shown.slice(0, index), escape(text)).toMatch(/\p{Extended_Pictographic}\p{EMod}?$/u);
      for (const other of [oneLine, wholeLine, lines]) {
        for (const { index } of other(text).matchAll(/\u200d/gu))
          expect(other(text).slice(index + 1), escape(text)).toMatch(/^\p{Extended_Pictographic}/u);
      }
      expect(emojiPlaces(text).size === 0 || /[\u200d\ufe0f]/.test(text)).toBe(true);
    }
  });

  it.each([
    ['a joiner alone', joiner],
    ['a joiner between letters', `a${joiner}b`],
    ['a joiner behind an emoji', `👩${joiner}`],
    ['a joiner before an emoji', `${joiner}👩`],
    ['a joiner between an emoji and a letter', `👩${joiner}a`],
    ['two joiners', `👩${joiner}${joiner}👧`],
    ['a joiner between flags', `\u{1f1e9}\u{1f1ea}${joiner}\u{1f1eb}\u{1f1f7}`],
    ['a selector behind a letter', `rm${selector}`],
    ['a selector behind a digit', `1${selector}`],
    ['a selector that is not seen', `🚀${selector}`],
    [
      'a joiner at a place without a sign',
      `👩${joiner}\u{1faff}\u200b`.replace('\u200b', '').replace('\u{1faff}', '\u{1f8ff}'),
    ],
  ])('writes out %s', (_, text) => {
    expect(exactLine(text)).toContain('\\u{');
    expect(isDeceptiveLine(text)).toBe(true);
    expect(exactLine(text)).not.toMatch(/[\u200d\ufe0f]/);
  });

  it('leaves one of two selectors', () => {
    expect(exactLine(`⚠${selector}${selector}`)).toBe(`⚠${selector}\\u{fe0f}`);
  });

  it('draws what a commit message has', () => {
    for (const text of ['👨‍👩‍👧‍👦', '❤️‍🔥', '🏳️‍🌈', '🧑🏽‍🤝‍🧑🏻', '⚠️ fix', 'ℹ️ note', '👁️‍🗨️'])
      expect([exactLine(text), lines(text)]).toEqual([text, text]);
  });
});
