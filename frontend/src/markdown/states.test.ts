import MarkdownIt, { type Token } from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { installFastStates, outline } from './states';
import { Random } from './testing/random';
import { randomMarkdown } from './testing/randomMarkdown';

const library = new MarkdownIt({ linkify: true });
const quick = new MarkdownIt({ linkify: true });
installFastStates(quick);

describe('the states of the parser', () => {
  it("render as the library's do", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const text = randomMarkdown(new Random(seed));
      expect(quick.render(text), `seed ${seed}: ${JSON.stringify(text)}`).toBe(library.render(text));
    }
  });

  it('find the same blocks in an outline', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const text = randomMarkdown(new Random(seed)).replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
      const tokens: Token[] = [];
      library.block.parse(text, library, {}, tokens);
      const blocks = tokens.filter(({ level, nesting }) => level === 0 && nesting >= 0);
      expect(
        outline(quick, text, {}).map(({ type, map }) => ({ type, map })),
        `seed ${seed}: ${JSON.stringify(text)}`,
      ).toEqual(blocks.map(({ type, map }) => ({ type, map })));
    }
  });
});
