import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { ChunkedText } from './chunkedText';
import { LongPieces, LongText } from './LongText';
import { escapeBidi } from './links';
import { grammars } from './testing/grammars';
import { Random } from './testing/random';

/** Characters and steps that the browser lays out in one go. */
const MOST_CHARACTERS = 6 * 1024;
const MOST_INK = 60_000;

describe('a long text', () => {
  it('is all there, in boxes of which none is long, for every construct in any pieces', () => {
    const random = new Random(11);
    for (const [name, text] of grammars(12_000)) {
      const host = document.createElement('div');
      const chunks = new ChunkedText(host, true);
      let written = '';
      for (let at = 0; at < text.length; ) {
        const piece = text.slice(at, at + 1 + random.below(5000));
        chunks.append(piece);
        written += escapeBidi(piece);
        at += piece.length;
      }
      expect(host.textContent, name).toBe(written);
      for (const { length, cost } of chunks.chunks) {
        expect(length, name).toBeLessThanOrEqual(MOST_CHARACTERS);
        expect(cost, name).toBeLessThanOrEqual(MOST_INK);
      }
    }
  });

  it('is drawn in boxes, also where it is one line', () => {
    const text = 'a'.repeat(200_000);
    const { container } = render(<LongText text={text} />);
    expect(container.textContent).toBe(text);
    expect(container.querySelectorAll('.md-chunk').length).toBeGreaterThan(40);
    expect(container.querySelector('.long-text')).toHaveAttribute('data-lazy');
  });

  it('keeps its boxes while it grows', () => {
    const text = 'some words\n'.repeat(2000);
    const { container, rerender } = render(<LongText text={text} />);
    const first = container.querySelector('.md-chunk');
    rerender(<LongText text={`${text}and more`} />);
    expect(container.textContent).toBe(`${text}and more`);
    expect(container.querySelector('.md-chunk')).toBe(first);
    rerender(<LongText text={`other ${text}`} />);
    expect(container.textContent).toBe(`other ${text}`);
  });

  it('keeps the looks of its pieces', () => {
    const pieces = Array.from({ length: 1000 }, (_, i) => ({
      text: `p${i} `,
      className: i % 3 === 0 ? 'search-match-mark' : '',
      marked: i % 3 === 0,
    }));
    const { container } = render(<LongPieces pieces={pieces} />);
    expect(container.textContent).toBe(pieces.map(({ text }) => text).join(''));
    expect(container.querySelectorAll('mark.search-match-mark')).toHaveLength(334);
  });

  it('is drawn as it is where it is short', () => {
    const { container } = render(<LongText text="a few words" />);
    expect(container.innerHTML).toBe('a few words');
  });
});
