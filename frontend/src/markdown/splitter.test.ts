import { describe, expect, test } from 'vitest';
import { parser } from './parser';
import { collectDefinitions, renderHtml, renderWithFootnotes } from './render';
import { BlockSplitter, type FinishedSource } from './splitter';
import { Random } from './testing/random';
import { randomChunks, randomMarkdown } from './testing/randomMarkdown';

const CASES = Number(process.env['FUZZ'] ?? 6000);
const PART = 500;
const FIRST_SEED = Number(process.env['SEED'] ?? 20_260_000);
/** Seeds that failed once stay here, with what they found. */
const REGRESSIONS: Readonly<Record<string, number>> = {};

function split(chunks: readonly string[], now: () => number = () => 0): FinishedSource[] {
  const splitter = new BlockSplitter(now);
  const finished: FinishedSource[] = [];
  for (const chunk of chunks) {
    splitter.append(chunk);
    finished.push(...splitter.advance());
    splitter.open();
  }
  finished.push(...splitter.finish());
  return finished;
}

function render(blocks: readonly FinishedSource[]): string {
  const references = {};
  const sources = blocks.map(({ source }) => source);
  const footnotes = sources.map((source) => collectDefinitions(source, references).footnotes).includes(true);
  return (
    footnotes ? renderWithFootnotes(sources) : sources.map((source) => renderHtml(source, references))
  ).join('');
}

/** Syntax used for the texts. The first entry of each part keeps its old texts. */
const KINDS = ['none', 'math', 'folds', 'both', 'tags'] as const;

function check(seed: number, kind: (typeof KINDS)[number] = 'none') {
  const random = new Random(seed);
  const text = randomMarkdown(random, kind);
  const chunks = randomChunks(random, text);
  let tick = 0;
  // A clock that sometimes stands still and sometimes jumps, to exercise the back-off.
  const blocks = split(chunks, () => (tick += random.below(3)));
  const normal = text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
  expect(blocks.map(({ source }) => source).join(''), `text of seed ${seed}: ${JSON.stringify(text)}`).toBe(
    normal,
  );
  expect(render(blocks), `HTML of seed ${seed}: ${JSON.stringify(text)}`).toBe(parser.render(text));
}

describe('a stream in pieces equals the whole', () => {
  // In batches, so that none takes long on a busy machine.
  const parts = Array.from({ length: Math.ceil(CASES / PART) }, (_, i) => FIRST_SEED + i * PART);
  test.each(parts)('random texts from seed %i', (first) => {
    for (let seed = first; seed < Math.min(first + PART, FIRST_SEED + CASES); seed++) check(seed);
  });

  const more = KINDS.slice(1).flatMap((kind) => parts.slice(0, 4).map((first) => [kind, first] as const));
  test.each(more)('random texts with more (%s) from seed %i', (kind, first) => {
    for (let seed = first; seed < first + PART; seed++) check(seed, kind);
  });

  test.each(Object.entries(REGRESSIONS))('regression: %s (seed %i)', (_, seed) => check(seed));
});
