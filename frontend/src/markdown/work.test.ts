import { readFileSync } from 'node:fs';
import { URL as NodeURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FORMAT_LIMIT } from './blockView';
import { closeMarkup } from './closeMarkup';
import { MarkdownDocument } from './document';
import { MOUNTED_GROUPS } from './Markdown';
import { parseBlocks } from './parser';
import { renderHtml } from './render';
import { grammars } from './testing/grammars';
import { hostileMarkdown } from './testing/hostile';
import { Random } from './testing/random';
import { MORE_STEPS, SHARED_STEPS, stepsTaken } from './work';

/** Returns the steps that a task takes. */
function stepsOf(task: () => unknown): number {
  const before = stepsTaken();
  task();
  return stepsTaken() - before;
}

/** Processes a text that arrived as a whole. */
function takenIn(text: string): MarkdownDocument {
  const tasks: (() => void)[] = [];
  const document = MarkdownDocument.of(text, {
    now: () => 0,
    schedule: (task) => {
      tasks.push(task);
      return () => {};
    },
  });
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) task();
  return document;
}

/** Returns the most steps of any task while a text streams in, and of any frame that draws its open block. */
function streamed(text: string, size: number): number {
  const tasks: (() => void)[] = [];
  const document = new MarkdownDocument({
    now: () => 0,
    schedule: (task) => {
      tasks.push(task);
      return () => {};
    },
  });
  let worst = 0;
  const run = () => {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      worst = Math.max(worst, stepsOf(task));
      const last = document.getSnapshot().groups.at(-1)?.blocks.at(-1);
      if (last?.open !== true || last.kind !== 'markdown') continue;
      const { source } = last;
      worst = Math.max(
        worst,
        stepsOf(() => renderHtml(closeMarkup(source), document.context.references, undefined, true)),
      );
    }
  };
  for (let at = 0; at < text.length; at += size) {
    document.append(text.slice(at, at + size));
    run();
  }
  document.end();
  run();
  return worst;
}

/** Does everything to show the given number of groups at the end of a text, except creating DOM nodes. */
function showEnd(text: string, groups: number): MarkdownDocument {
  const document = takenIn(text);
  const { references, spare } = document.context;
  for (const { blocks } of document.getSnapshot().groups.slice(-groups)) {
    for (const block of blocks) {
      if (block.open || block.kind !== 'markdown' || block.html !== undefined) continue;
      if (block.source.length <= FORMAT_LIMIT) renderHtml(block.source, references, { spare, block });
    }
  }
  return document;
}

/** Steps of a task that doesn't block the page (see work.ts). */
const FRAME = 1_000_000;

/**
 * Returns for each block whether it is formatted when rendered as on the page: individually, from the shared budget.
 */
function formatted(document: MarkdownDocument): boolean[] {
  const { references, spare } = document.context;
  return blocksOf(document).map(
    (block) => !block.open && renderHtml(block.source, references, { spare, block }) !== undefined,
  );
}

const blocksOf = (document: MarkdownDocument) =>
  document.getSnapshot().groups.flatMap((group) => group.blocks);

/** Returns the sources of blocks that are shown as plain text because they would take too much work. */
function unformatted(document: MarkdownDocument): string[] {
  const done = formatted(document);
  return blocksOf(document).flatMap((block, i) => (done[i] || block.open ? [] : [block.source]));
}

const showWhole = (text: string) => showEnd(text, Number.POSITIVE_INFINITY);
const showMounted = (text: string) => showEnd(text, MOUNTED_GROUPS);

/**
 * Returns the allowed steps for a text: splitting it, searching it for definitions and footnotes, and rendering the
 * blocks of its end, each with its own allowance.
 */
function most(length: number): number {
  const parse = 4 * length + MORE_STEPS;
  return 3 * parse + 6.5 * length + SHARED_STEPS + MOUNTED_GROUPS * 32 * 300;
}

describe('the work of a parse', () => {
  it.each([
    ['[a](', 15_000],
    ['[a](<', 12_000],
    ['![a](', 12_000],
    ["[a](b '", 8_000],
    ['[', 60_000],
    ['[a', 30_000],
    ['>>***\na|b\n-|-\n', 4_000],
    ['http://a.b/(', 5_000],
    ['- ', 30_000],
    ['> - ', 15_000],
  ])('is bounded for %j, %d times', (piece, times) => {
    const text = piece.repeat(times);
    expect(stepsOf(() => renderHtml(text))).toBeLessThan(6 * text.length + SHARED_STEPS);
    expect(stepsOf(() => parseBlocks(text, {}))).toBeLessThan(6 * text.length);
  });

  it('gives up a text that would take too much', () => {
    expect(renderHtml('[a]('.repeat(15_000))).toBeUndefined();
    expect(renderHtml(`[^a]: x\n\n${'[a'.repeat(30_000)}`)).toBeUndefined();
  });

  it('is bounded for hostile texts', () => {
    for (let seed = 0; seed < 24; seed++) {
      const text = hostileMarkdown(seed, 16 * 1024);
      expect(
        stepsOf(() => showMounted(text)),
        `seed ${seed}`,
      ).toBeLessThan(most(text.length));
    }
  });

  // In batches, so that none takes long on a busy machine.
  it.each([0, 1, 2, 3, 4, 5, 6, 7])('is bounded for each construct, part %i', (part) => {
    for (const [i, [name, text]] of [...grammars(8 * 1024)].entries()) {
      if (i % 8 !== part) continue;
      expect(
        stepsOf(() => showMounted(text)),
        name,
      ).toBeLessThan(most(text.length));
    }
  });

  it.each([
    ['[a](', 60_000],
    ['![a](', 48_000],
    ['[', 240_000],
    ['- ', 120_000],
    ['a\n', 120_000],
    ['a b\n\n', 60_000],
    ['|a|b|\n|-|-|\n', 20_000],
    ['> a\n', 60_000],
    ['[^a]: b\n\n', 24_000],
  ])('is bounded in each task for %j, %d times, in pieces', (piece, times) => {
    const text = piece.repeat(times);
    for (const size of [4000, 64_000]) expect(streamed(text, size), `pieces of ${size}`).toBeLessThan(FRAME);
  });

  it.each([0, 1, 2, 3])('is bounded in each task for each construct in pieces, part %i', (part) => {
    for (const [i, [name, text]] of [...grammars(60_000)].entries())
      if (i % 64 === part * 16) expect(streamed(text, 4000), name).toBeLessThan(FRAME);
  });

  it('is shared by the blocks of a text', () => {
    const dense = `${'*a* '.repeat(60)}\n\n`;
    const few = showWhole(dense.repeat(10));
    const many = showWhole(dense.repeat(400));
    expect(formatted(few)).not.toContain(false);
    expect(formatted(many)[0]).toBe(true);
    expect(formatted(many)).toContain(false);
    // A block looks the same when it is shown again.
    expect(formatted(many)).toEqual(formatted(many));
  });

  it('counts all that is looked at for an address', () => {
    const address = `https://a.b/${'c'.repeat(900)}`;
    expect(stepsOf(() => renderHtml(address))).toBeGreaterThan(address.length);
  });

  it('counts all that is looked at for the name of a footnote', () => {
    const note = '[^a]: x\n\n';
    const without = stepsOf(() => renderHtml(`${note}${'b'.repeat(900)}`));
    expect(stepsOf(() => renderHtml(`${note}[^${'b'.repeat(900)}`))).toBeGreaterThan(without + 100);
    expect(renderHtml(`${note}x[^${'b'.repeat(2000)}]`)).toContain('[^bbb');
  });

  it('is little for ordinary texts', () => {
    for (const name of ['README.md', 'ARCHITECTURE.md', 'docs/api.md', 'docs/agents.md']) {
      const text = readFileSync(`../${name}`, 'utf8');
      const document = takenIn(text);
      const steps = stepsOf(() => expect(unformatted(document), name).toEqual([]));
      expect(steps, name).toBeLessThan(5 * text.length);
    }
  });

  it('keeps all of a text that it gives up', () => {
    for (let seed = 0; seed < 20; seed++) {
      const text = hostileMarkdown(seed, 8 * 1024)
        .replaceAll('\0', '')
        .replaceAll('\r', '');
      const document = showWhole(text);
      const sources = document
        .getSnapshot()
        .groups.flatMap(({ blocks }) => blocks.map((block) => (block.open ? '' : block.source)));
      expect(sources.join(''), `seed ${seed}`).toBe(text);
    }
  });
});

describe('what an open block is closed with', () => {
  it('does not depend on what is far before', () => {
    const start = `${'word '.repeat(1000)}\n`;
    expect(closeMarkup(`${start}and **bold`)).toBe(`${start}and **bold**`);
  });

  it('leaves an open fence alone', () => {
    const code = `- a\n  \`\`\`\n${'  code\n'.repeat(600)}  a **b`;
    expect(closeMarkup(code)).toBe(code);
  });
});

/** Runs for the given seconds of processor time and prints the slowest texts. */
const seconds = Number(process.env['MARKDOWN_FUZZ_SECONDS'] ?? 0);

describe.skipIf(seconds === 0)('the time of hostile texts', () => {
  it(
    'is measured',
    () => {
      const first = Number(process.env['MARKDOWN_FUZZ_SEED'] ?? Date.now() % 1_000_000);
      const processor = () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1000;
      };
      const slowest: Record<string, { cost: number; seed: number | string }[]> = {};
      const measure = (what: string, seed: number | string, length: number, task: () => unknown) => {
        let cost = Number.POSITIVE_INFINITY;
        // A slow text is slow again, unless another process was using the processor.
        for (let turn = 0; turn < 3 && cost > 25; turn++) {
          const before = processor();
          task();
          cost = Math.min(cost, ((processor() - before) / length) * 100_000);
        }
        slowest[what] ??= [];
        slowest[what].push({ cost, seed });
        slowest[what].sort((a, b) => b.cost - a.cost).splice(8);
      };
      const end = processor() + seconds * 1000;
      globalThis.URL = NodeURL as typeof globalThis.URL;
      const ordinary = readFileSync('../docs/api.md', 'utf8');
      let texts = 0;
      let next = 0;
      const report = (ended: boolean) => {
        const lines = Object.entries(slowest).map(
          ([what, list]) =>
            `${what}: ${list.map(({ cost, seed }) => `${cost.toFixed(0)} (${seed})`).join(', ')}`,
        );
        process.stdout.write(
          `${ended ? 'all' : 'so far'} ${texts} texts from seed ${first}; ms for 100 KB, and the seed:\n${lines.join('\n')}\n`,
        );
      };
      for (const [name, text] of grammars(100_000))
        measure('construct', name, text.length, () => showMounted(text));
      for (let seed = first; processor() < end; seed++, texts++) {
        const length = (64 + new Random(seed).below(40)) * 1024;
        const text = hostileMarkdown(seed, length);
        measure('whole', seed, length, () => showMounted(text));
        measure('in pieces', seed, length, () => streamed(text, 4000));
        const open = text.slice(0, 32 * 1024);
        measure('an open block', seed, open.length, () => renderHtml(closeMarkup(open)));
        if (texts % 20 === 0) measure('ordinary', seed, ordinary.length, () => showMounted(ordinary));
        if (texts >= next) {
          report(false);
          next = texts * 2 + 50;
        }
      }
      report(true);
      expect(texts).toBeGreaterThan(0);
    },
    seconds * 60_000 + 60_000,
  );
});
