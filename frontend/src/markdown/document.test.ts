// @vitest-environment jsdom
import { describe, expect, test, vi } from 'vitest';
import { longAnswer } from '../../bench/answer';
import { type DocumentOptions, MarkdownDocument } from './document';
import { parser } from './parser';
import { renderHtml } from './render';
import { PLAIN_LIMIT } from './splitter';
import { Random } from './testing/random';
import { randomChunks, randomMarkdown } from './testing/randomMarkdown';

/** A document whose frames and clock are advanced manually. */
function manual(options: DocumentOptions = {}) {
  let task: (() => void) | undefined;
  const document = new MarkdownDocument({
    now: () => 0,
    schedule: (next) => {
      task = next;
      return () => {
        task = undefined;
      };
    },
    ...options,
  });
  const frame = () => {
    const run = task;
    task = undefined;
    run?.();
    return run !== undefined;
  };
  return { document, frame };
}

function html(document: MarkdownDocument): string {
  return document
    .getSnapshot()
    .groups.flatMap(({ blocks }) => blocks)
    .map((block) => (block.open ? '' : (block.html ?? renderHtml(block.source, document.context.references))))
    .join('');
}

const keys = (document: MarkdownDocument) =>
  document.getSnapshot().groups.flatMap((group) => group.blocks.map((block) => `${group.key}/${block.key}`));

describe('a finished document equals the whole text rendered at once', () => {
  // In batches, so that none takes long on a busy machine.
  test.each([1, 501, 1001, 1501])('500 random texts from seed %i', (first) => {
    for (let seed = first; seed < first + 500; seed++) {
      const random = new Random(seed);
      const text = randomMarkdown(random);
      const { document, frame } = manual();
      for (const chunk of randomChunks(random, text)) {
        document.append(chunk);
        if (random.below(2) === 0) frame();
      }
      document.end();
      while (frame());
      expect(html(document), `seed ${seed}: ${JSON.stringify(text)}`).toBe(parser.render(text));
    }
  });

  test('links and footnotes that are defined after their use', () => {
    const { document, frame } = manual();
    document.append('a [later] and a note[^n]\n\nnext\n\nlast\n\n');
    frame();
    const before = html(document);
    document.append('[later]: https://a.test\n\n[^n]: the note\n');
    document.end();
    frame();
    expect(before).not.toContain('href');
    expect(html(document)).toContain('<a href="https://a.test"');
    expect(html(document)).toContain('md-footnotes');
  });

  test('a long text is taken in over several frames', () => {
    const text = longAnswer(400_000);
    const { document, frame } = manual();
    document.append(text);
    document.end();
    let frames = 0;
    while (frame()) frames += 1;
    expect(frames).toBe(7);
    expect(document.getSnapshot().ended).toBe(true);
    expect(html(document)).toBe(parser.render(text));
  });
});

describe('groups', () => {
  test('a block keeps its group and its key from its first character on', () => {
    const { document, frame } = manual();
    const text = longAnswer(60_000);
    let before: string[] = [];
    for (let at = 0; at < text.length; at += 240) {
      document.append(text.slice(at, at + 240));
      frame();
      const now = keys(document);
      // The last two blocks may still be split differently.
      const settled = before.slice(0, -2);
      expect(now.slice(0, settled.length)).toEqual(settled);
      before = now;
    }
    expect(new Set(before).size).toBe(before.length);
  });

  test('a group that did not change is the same object', () => {
    const { document, frame } = manual();
    const text = longAnswer(60_000);
    document.append(text.slice(0, 50_000));
    frame();
    const before = document.getSnapshot().groups;
    document.append(text.slice(50_000));
    frame();
    const after = document.getSnapshot().groups;
    expect(before.length).toBeGreaterThan(4);
    for (const [i, group] of before.slice(0, -2).entries()) expect(after[i]).toBe(group);
  });

  test('are small enough to be mounted whole', () => {
    const document = MarkdownDocument.of(longAnswer(100_000), { now: () => 0 });
    for (const group of document.getSnapshot().groups) {
      expect(group.blocks.length).toBeLessThanOrEqual(32);
      expect(group.length).toBeLessThan(16 * 1024);
    }
  });
});

describe('open blocks', () => {
  test('code is handed on in pieces, each character once, the closing fence never', () => {
    const { document, frame } = manual();
    let code = '';
    for (const chunk of ['before\n\n``', '`ts\nlet a', ' = 1;\n', '`', '`x\n', '``', '`\nafter']) {
      document.append(chunk);
      frame();
      const block = document.getSnapshot().groups.at(-1)?.blocks.at(-1);
      if (block?.open === true && block.kind === 'code') code = block.pieces.join('');
    }
    expect(code).toBe('let a = 1;\n``x\n');
  });

  test('above 32 KB are plain text until they close', () => {
    const { document, frame } = manual();
    document.append(`- ${'word '.repeat(PLAIN_LIMIT / 4)}`);
    frame();
    const open = document.getSnapshot().groups.at(-1)?.blocks.at(-1);
    document.append('more');
    frame();
    const grown = document.getSnapshot().groups.at(-1)?.blocks.at(-1);
    expect(open).toMatchObject({ open: true, kind: 'plain' });
    expect(grown).toMatchObject({ kind: 'plain', count: 2 });
    document.append('\n\n# next\n\nparagraph\n\n');
    frame();
    expect(document.getSnapshot().groups[0]?.blocks[0]).toMatchObject({ open: false, kind: 'markdown' });
  });

  test('are parsed again only after eight times what the last parse took', () => {
    let time = 0;
    let reads = 0;
    const { document, frame } = manual({
      now: () => {
        reads += 1;
        return time;
      },
    });
    // Each parse reads the clock before and after; in between it takes 10 ms of this clock.
    const tokenize = parser.block.tokenize.bind(parser.block);
    vi.spyOn(parser.block, 'tokenize').mockImplementation((...args) => {
      time += 10;
      tokenize(...args);
    });
    document.append('one line\n');
    frame();
    reads = 0;
    document.append('another\n');
    frame();
    const waited = time;
    time += 80;
    frame();
    expect(waited).toBe(10);
    expect(time).toBe(100);
    expect(reads).toBeGreaterThan(0);
  });
});

describe('memory', () => {
  test('keeps only the last characters as blocks, and takes the earlier ones back', () => {
    const text = longAnswer(300_000);
    const { document, frame } = manual({ keep: 50_000 });
    document.append(text);
    document.end();
    while (frame());
    const { released, groups } = document.getSnapshot();
    const kept = groups.reduce((sum, { length }) => sum + length, 0);
    expect(kept).toBeLessThanOrEqual(50_000);
    expect(released + kept).toBe(text.length);

    document.restore(text.slice(0, released));
    expect(document.getSnapshot().released).toBe(0);
    expect(html(document)).toBe(parser.render(text));
    const all = keys(document);
    expect(all.filter((key, i) => all.indexOf(key) !== i)).toEqual([]);
  });
});

test('listeners hear of a change once per frame', () => {
  const { document, frame } = manual();
  const heard = vi.fn();
  const stop = document.subscribe(heard);
  for (const part of ['a', 'b', 'c']) document.append(part);
  frame();
  expect(heard).toHaveBeenCalledTimes(1);
  stop();
  document.append('d');
  frame();
  expect(heard).toHaveBeenCalledTimes(1);
});
