import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MarkdownDocument } from './document';
import { mended } from './mended';
import { parseBlocks } from './parser';
import { renderHtml } from './render';
import { hostileMarkdown } from './testing/hostile';
import { Random } from './testing/random';
import { stepsTaken } from './work';

/** The steps that a task takes for each character. */
function stepsOf(length: number, task: () => unknown): number {
  const before = stepsTaken();
  task();
  return (stepsTaken() - before) / length;
}

/** All that is done with a text that has come, but for making nodes of it. */
function showWhole(text: string): MarkdownDocument {
  const tasks: (() => void)[] = [];
  const document = MarkdownDocument.of(text, {
    now: () => 0,
    schedule: (task) => {
      tasks.push(task);
      return () => {};
    },
  });
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) task();
  for (const { blocks } of document.getSnapshot().groups) {
    for (const block of blocks) {
      if (!block.open && block.html === undefined && block.source.length <= 64 * 1024)
        renderHtml(block.source);
    }
  }
  return document;
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
    // The step that is too many is taken, too.
    const most = 6;
    expect(stepsOf(text.length, () => renderHtml(text))).toBeLessThan(most);
    expect(stepsOf(text.length, () => parseBlocks(text, {}))).toBeLessThan(most);
  });

  it('gives up a text that would take too much', () => {
    expect(renderHtml('[a]('.repeat(15_000))).toBeUndefined();
    expect(renderHtml(`[^a]: x\n\n${'[a'.repeat(30_000)}`)).toBeUndefined();
  });

  it('is bounded for hostile texts', () => {
    for (let seed = 0; seed < 24; seed++) {
      const text = hostileMarkdown(seed, 8 * 1024);
      const steps = stepsOf(text.length, () => showWhole(text));
      // Blocks are found, looked through for definitions and rendered, with what each may take at least.
      expect(steps, `seed ${seed}`).toBeLessThan(300);
    }
  }, 120_000);

  it('is little for ordinary texts', () => {
    for (const name of ['README.md', 'ARCHITECTURE.md', 'docs/api.md', 'docs/agents.md']) {
      const text = readFileSync(`../${name}`, 'utf8');
      expect(stepsOf(text.length, () => expect(renderHtml(text), name).toBeDefined())).toBeLessThan(3);
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
    expect(mended(`${start}and **bold`)).toBe(`${start}and **bold**`);
  });

  it('leaves an open fence alone', () => {
    const code = `- a\n  \`\`\`\n${'  code\n'.repeat(600)}  a **b`;
    expect(mended(code)).toBe(code);
  });
});

/** Runs for as long as it is told, in seconds of processor time, and prints the slowest texts. */
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
      const slowest: Record<string, { cost: number; seed: number }[]> = {};
      const measure = (what: string, seed: number, length: number, task: () => unknown) => {
        const before = processor();
        task();
        const cost = ((processor() - before) / length) * 100_000;
        slowest[what] ??= [];
        slowest[what].push({ cost, seed });
        slowest[what].sort((a, b) => b.cost - a.cost).splice(8);
      };
      const end = processor() + seconds * 1000;
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
      for (let seed = first; processor() < end; seed++, texts++) {
        const length = (24 + new Random(seed).below(40)) * 1024;
        const text = hostileMarkdown(seed, length);
        measure('whole', seed, length, () => showWhole(text));
        const open = text.slice(0, 32 * 1024);
        measure('an open block', seed, open.length, () => renderHtml(mended(open)));
        if (texts % 20 === 0) measure('ordinary', seed, ordinary.length, () => showWhole(ordinary));
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
