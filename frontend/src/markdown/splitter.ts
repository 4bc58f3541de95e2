/**
 * The incremental block splitter. It splits a stream of markdown into top-level blocks and never reads a finished block
 * again, so that the work per update does not grow with the message.
 *
 * Rules:
 * - Decisions are made on complete lines only, and the last two top-level blocks stay open, because a later line may
 *   still belong to them (lazy continuation, setext headings, tables, loose lists).
 * - Inside an open top-level fence only the closing fence is searched for; everything before it is final.
 * - The open part is parsed again only after eight times the expected duration of that parse.
 * - Blocks have a maximum length, so that parsing the open part never takes long.
 *
 * Pure: no DOM, and the clock is passed in.
 */

import { OpenFence } from './openFence';
import { blockStarts, parseBlocks, type Token } from './parser';
import { MORE_STEPS } from './work';

/** An open block with more characters is shown as plain text until it closes. */
export const PLAIN_LIMIT = 32 * 1024;
/**
 * A longer block (in characters) ends with its current line, because an open block is parsed again whenever it grows.
 * The text after it is parsed as if it started there.
 */
export const LONGEST_BLOCK = 64 * 1024;
/** How many characters are parsed at once unless a line is longer: more than the two blocks that stay open. */
const READ = 3 * LONGEST_BLOCK;

const BACK_OFF = 8;

/** `details` and `details-end` open and close a fold. */
export type BlockKind = 'markdown' | 'code' | Marker;
export type Marker = 'details' | 'details-end';

/** A block that no later text can change. The sources of all blocks add up to the whole text. */
export interface FinishedSource {
  readonly source: string;
  readonly kind: BlockKind;
}

/** What is shown of a block that may still change. */
export type OpenPart =
  | { readonly kind: 'markdown' | Marker; readonly source: string }
  | { readonly kind: 'plain'; readonly pieces: readonly string[] }
  | { readonly kind: 'code'; readonly language: string; readonly pieces: readonly string[] };

export class BlockSplitter {
  readonly #now: () => number;
  #finished: FinishedSource[] = [];
  /** The text that is neither finished nor inside #fence. */
  #tail = '';
  /** Position of #tail in the whole text. */
  #offset = 0;
  /** End of the last complete line of #tail, and the end of the part that has been parsed. */
  #complete = 0;
  #decided = 0;
  /** Start of the last open block in #tail. The block before it is the other open one. */
  #lastStart = 0;
  /** The kinds of both, and the end of the last one if it is a line that opens or closes a fold, otherwise 0. */
  #kinds: readonly [BlockKind, BlockKind] = ['markdown', 'markdown'];
  #lastEnd = 0;
  #fence: OpenFence | undefined;
  /** Open blocks that are shown as plain text, by their position in the whole text. */
  readonly #plain = new Map<number, { shown: number; readonly pieces: string[] }>();
  #endsWithCr = false;
  #nextParse = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Appends text, at a cost proportional to its length. */
  append(delta: string): void {
    let text = this.#endsWithCr ? `\r${delta}` : delta;
    this.#endsWithCr = text.endsWith('\r');
    if (this.#endsWithCr) text = text.slice(0, -1);
    this.#take(normalize(text));
  }

  /** True while complete lines wait for a parse that is not yet due. */
  get waiting(): boolean {
    return this.#fence === undefined && this.#complete > this.#decided;
  }

  /**
   * Reports whether the rest is more than one parse can take, so that `advance` must be called again to reach the end.
   */
  get behind(): boolean {
    return this.#fence === undefined && this.#tail.length > READ && this.#complete > this.#decided;
  }

  /**
   * Returns the blocks that have become final since the last call. Does nothing while a parse is not yet due, and
   * leaves text beyond the limit of one parse to the next call. `due`: parse regardless of the time.
   */
  advance(due = false): readonly FinishedSource[] {
    for (let room = READ; room > 0 && this.waiting && (due || this.#now() >= this.#nextParse); ) {
      room -= this.#decide();
    }
    return this.#drain();
  }

  /** Ends the text, which makes everything final. */
  finish(): readonly FinishedSource[] {
    if (this.#endsWithCr) {
      this.#endsWithCr = false;
      this.#take('\n');
    }
    while (this.behind) this.#decide();
    if (this.#fence !== undefined) {
      this.#finished.push({ source: this.#fence.source(), kind: 'code' });
      this.#fence = undefined;
    }
    while (this.#tail !== '') {
      const blocks = topLevel(parseBlocks(this.#tail, {}, MORE_STEPS), this.#tail);
      const { length } = this.#tail;
      if (!this.#cut(blocks, length)) this.#close(blocks, length);
    }
    return this.#drain();
  }

  /** Returns the blocks that may still change: none, one or two, and the text after the line of a fold. */
  open(): readonly OpenPart[] {
    const parts: OpenPart[] = [];
    if (this.#lastStart > 0) parts.push(this.#part(0, this.#lastStart, this.#kinds[0]));
    if (this.#fence !== undefined) {
      parts.push({ kind: 'code', language: this.#fence.language, pieces: this.#fence.pieces });
    } else if (this.#lastStart < this.#tail.length) {
      const end = this.#lastEnd === 0 ? this.#tail.length : this.#lastEnd;
      parts.push(this.#part(this.#lastStart, end, this.#kinds[1]));
      const more = this.#tail.slice(end);
      if (/\S/.test(more) && !/^\s*<summary/i.test(more)) parts.push(this.#part(end, this.#tail.length));
    }
    return parts;
  }

  #take(text: string): void {
    if (text === '') return;
    if (this.#fence === undefined) {
      const newline = text.lastIndexOf('\n');
      if (newline >= 0) this.#complete = this.#tail.length + newline + 1;
      this.#tail += text;
      return;
    }
    const rest = this.#fence.take(text);
    if (rest === undefined) return;
    const source = this.#fence.source();
    this.#finished.push({ source, kind: 'code' });
    this.#fence = undefined;
    this.#restart(source.length);
    this.#take(rest);
  }

  /** Parses further lines and returns how many characters it read. */
  #decide(): number {
    const started = this.#now();
    const length = this.#readable();
    const source = this.#tail.slice(0, length);
    const blocks = topLevel(parseBlocks(source, { open: true }, MORE_STEPS), source);
    this.#decided = length;
    if (!this.#cut(blocks, length)) this.#keepOpen(blocks);
    const now = this.#now();
    this.#nextParse = now + BACK_OFF * (now - started) * (this.#tail.length / length);
    return length;
  }

  /** Returns the end of the lines to parse next, including at least one new line. */
  #readable(): number {
    if (this.#complete <= READ) return this.#complete;
    const end = this.#tail.lastIndexOf('\n', READ - 1) + 1;
    return end > this.#decided ? end : this.#tail.indexOf('\n', this.#decided) + 1;
  }

  /** Finishes all blocks except the last two. */
  #keepOpen(blocks: readonly TopLevel[]): void {
    const last = blocks.at(-1);
    if (last?.kind === 'code') {
      const rest = this.#tail.slice(last.start);
      this.#close(blocks.slice(0, -1), last.start);
      this.#tail = '';
      this.#restart(0);
      this.#fence = new OpenFence();
      this.#take(rest);
      return;
    }
    const open = blocks.at(-2);
    if (open !== undefined) this.#close(blocks.slice(0, -2), open.start);
    const from = open?.start ?? 0;
    this.#lastStart = open === undefined || last === undefined ? 0 : last.start - from;
    this.#kinds = [open?.kind ?? 'markdown', last?.kind ?? 'markdown'];
    this.#lastEnd = last?.kind === 'details' || last?.kind === 'details-end' ? last.end - from : 0;
  }

  /** Finishes the first block that is too long, if any, and all blocks before it. The text after it is parsed again. */
  #cut(blocks: readonly TopLevel[], length: number): boolean {
    for (let i = 0; i < Math.max(1, blocks.length); i++) {
      const { start, kind } = blocks[i] ?? { start: 0, kind: 'markdown' };
      const end = blocks[i + 1]?.start ?? length;
      if (kind === 'code' || end - start <= LONGEST_BLOCK) continue;
      const cut = this.#tail.indexOf('\n', start + LONGEST_BLOCK - 1) + 1;
      if (cut === 0 || cut >= end) continue;
      this.#close(blocks.slice(0, i + 1), cut);
      this.#decided = 0;
      return true;
    }
    return false;
  }

  /** Finishes the given blocks, the last of which ends at `end`, and removes them from the tail. */
  #close(blocks: readonly TopLevel[], end: number): void {
    let start = 0;
    for (const [i, block] of blocks.entries()) {
      const next = blocks[i + 1]?.start ?? end;
      this.#finished.push({ source: this.#tail.slice(start, next), kind: block.kind });
      start = next;
    }
    // Text before the first block that forms no block (blank lines, reference definitions).
    if (start < end) this.#finished.push({ source: this.#tail.slice(start, end), kind: 'markdown' });
    this.#tail = this.#tail.slice(end);
    this.#complete = Math.max(0, this.#complete - end);
    this.#decided = Math.max(0, this.#decided - end);
    this.#lastStart = 0;
    this.#kinds = ['markdown', 'markdown'];
    this.#lastEnd = 0;
    this.#offset += end;
    for (const from of this.#plain.keys()) if (from < this.#offset) this.#plain.delete(from);
  }

  #restart(length: number): void {
    this.#offset += length;
    this.#complete = 0;
    this.#decided = 0;
    this.#lastStart = 0;
    this.#kinds = ['markdown', 'markdown'];
    this.#lastEnd = 0;
  }

  #part(start: number, end: number, kind: BlockKind = 'markdown'): OpenPart {
    if (kind === 'details' || kind === 'details-end') return { kind, source: this.#tail.slice(start, end) };
    if (end - start <= PLAIN_LIMIT) return { kind: 'markdown', source: this.#tail.slice(start, end) };
    // The same array grows as long as it is the same block, so that the view can append.
    const from = this.#offset + start;
    const to = this.#offset + end;
    let plain = this.#plain.get(from);
    if (plain === undefined || plain.shown > to) {
      plain = { shown: from, pieces: [] };
      this.#plain.set(from, plain);
    }
    if (plain.shown < to) {
      plain.pieces.push(this.#tail.slice(plain.shown - this.#offset, end));
      plain.shown = to;
    }
    return { kind: 'plain', pieces: plain.pieces };
  }

  #drain(): readonly FinishedSource[] {
    const finished = this.#finished;
    this.#finished = [];
    return finished;
  }
}

interface TopLevel {
  readonly start: number;
  /** End of the lines of the block itself. */
  readonly end: number;
  readonly kind: FinishedSource['kind'];
}

/** Returns top-level blocks with their start offsets; the first one starts at 0. */
function topLevel(tokens: readonly Token[], source: string): TopLevel[] {
  const blocks: TopLevel[] = [];
  let line = 0;
  let offset = 0;
  for (const { line: start, end, type } of blockStarts(tokens)) {
    for (; line < start; line++) offset = source.indexOf('\n', offset) + 1;
    const kind = KINDS[type] ?? 'markdown';
    blocks.push({
      start: blocks.length === 0 && type !== 'fence' ? 0 : offset,
      end: kind === 'details' || kind === 'details-end' ? after(source, offset, end - start) : offset,
      kind,
    });
  }
  return blocks;
}

const KINDS: Readonly<Record<string, BlockKind>> = {
  fence: 'code',
  summary_open: 'details',
  details_close: 'details-end',
};

/** Returns the offset after the given number of lines. */
function after(source: string, start: number, lines: number): number {
  let offset = start;
  for (let i = 0; i < lines; i++) {
    const newline = source.indexOf('\n', offset);
    if (newline < 0) return source.length;
    offset = newline + 1;
  }
  return offset;
}

/** Normalizes line ends and NUL like markdown-it. */
function normalize(text: string): string {
  return text.includes('\r') || text.includes('\0')
    ? text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd')
    : text;
}
