/** Groups of neighboring blocks, which are the rows of a virtual list. */
import type { Place } from './folds/folds';
import type { BlockKind, FinishedSource, Marker, OpenPart } from './splitter';

const GROUP_BLOCKS = 32;
const GROUP_LENGTH = 4 * 1024;

/** A block for the view. The same object until something visible changes. */
export type MarkdownBlock = Omit<Place, 'stray'> & Shown;

type Shown =
  | {
      readonly key: string;
      readonly open: false;
      readonly kind: BlockKind;
      readonly source: string;
      /** Replaces rendering the source on its own, if the result depends on the whole text. */
      readonly html?: string;
    }
  | {
      readonly key: string;
      readonly open: true;
      readonly kind: 'markdown' | Marker;
      readonly source: string;
    }
  | ({ readonly kind: 'plain' } & Pieces)
  | ({ readonly kind: 'code'; readonly language: string } & Pieces);

interface Pieces {
  readonly key: string;
  readonly open: true;
  /** Grows in place; `count` is the number of pieces in this block. */
  readonly pieces: readonly string[];
  readonly count: number;
}

export interface MarkdownGroup {
  readonly key: string;
  readonly blocks: readonly MarkdownBlock[];
  /** True while a block of this group may change. */
  readonly open: boolean;
  /** Characters of the finished blocks: a first estimate of the row's height. */
  readonly length: number;
}

type Finished = MarkdownBlock & { open: false };

/** A group while it is being filled. */
export class GroupDraft {
  readonly key: string;
  readonly first: number;
  /** One past the last block index assigned to this group. */
  end: number;
  #finished: Finished[] = [];
  /** How many link definitions were known when each finished block was added. */
  #known: number[] = [];
  #open: MarkdownBlock[] = [];
  #before: readonly MarkdownBlock[] = [];
  #length = 0;
  #view: MarkdownGroup | undefined;

  constructor(key: string, first: number) {
    this.key = key;
    this.first = first;
    this.end = first;
  }

  get isFull(): boolean {
    return (
      this.end - this.first >= GROUP_BLOCKS ||
      this.#finished.length >= GROUP_BLOCKS ||
      this.#length >= GROUP_LENGTH
    );
  }

  /** Number of finished blocks. */
  get size(): number {
    return this.#finished.length;
  }

  get length(): number {
    return this.#length;
  }

  add({ source, kind }: FinishedSource, key: string, known: number, place: Place): void {
    this.#finished.push({ key, open: false, source, ...placed(kind, place) });
    this.#known.push(known);
    this.#length += source.length;
    this.#view = undefined;
  }

  addHtml(html: string, key: string): void {
    this.#finished.push({ key, open: false, kind: 'markdown', source: '', html, within: [] });
    this.#known.push(Number.POSITIVE_INFINITY);
    this.#view = undefined;
  }

  clearOpen(): void {
    this.#before = this.#open;
    this.#open = [];
    this.#view = undefined;
  }

  show(part: OpenPart, key: string, place: Place): void {
    const before = this.#before.find((block) => block.key === key);
    const block = toBlock(part, key, place);
    this.#open.push(before !== undefined && same(before, block) ? before : block);
    this.#view = undefined;
  }

  sources(): string[] {
    return this.#finished.map(({ source }) => source);
  }

  /** Sets the HTML of each block that mentions a footnote. Returns the number of blocks. */
  setHtml(html: readonly string[]): number {
    this.#replace((block, i) => {
      const own = html[i];
      return block.source.includes('[^') && own !== undefined ? { ...block, html: own } : block;
    });
    return this.size;
  }

  /** Renders the blocks again that may use a link definition which came after them. */
  refresh(known: number): void {
    this.#replace((block, i) =>
      (this.#known[i] ?? 0) < known && block.source.includes('[') && block.kind === 'markdown'
        ? { ...block }
        : block,
    );
  }

  view(): MarkdownGroup {
    this.#view ??= {
      key: this.key,
      blocks: [...this.#finished, ...this.#open],
      open: this.#open.length > 0,
      length: this.#length,
    };
    return this.#view;
  }

  #replace(change: (block: Finished, index: number) => Finished): void {
    const changed = this.#finished.map(change);
    if (changed.every((block, i) => block === this.#finished[i])) return;
    this.#finished = changed;
    this.#view = undefined;
  }
}

/** Adds its position to a block. A stray closing tag is shown as text. */
function placed<K extends BlockKind>(kind: K, { within, fold, stray }: Place) {
  return { kind: stray === true ? 'markdown' : kind, within, ...(fold !== undefined && { fold }) } as const;
}

function toBlock(part: OpenPart, key: string, place: Place): MarkdownBlock {
  if ('source' in part) return { key, open: true, source: part.source, ...placed(part.kind, place) };
  const { within } = place;
  const pieces = { key, open: true, within, pieces: part.pieces, count: part.pieces.length } as const;
  return part.kind === 'code'
    ? { ...pieces, kind: 'code', language: part.language }
    : { ...pieces, kind: 'plain' };
}

/** Reports whether two states of a group have the same blocks in the same positions, regardless of their content. */
export function sameBlocks(a: MarkdownGroup, b: MarkdownGroup): boolean {
  return (
    a === b ||
    (a.blocks.length === b.blocks.length &&
      a.blocks.every((block, i) => samePlace(block, b.blocks[i] as MarkdownBlock)))
  );
}

function samePlace(a: MarkdownBlock, b: MarkdownBlock): boolean {
  if (a === b) return true;
  if (a.key !== b.key || a.fold !== b.fold || (a.kind === 'details-end') !== (b.kind === 'details-end'))
    return false;
  return a.within.length === b.within.length && a.within.every((id, i) => id === b.within[i]);
}

function same(a: MarkdownBlock, b: MarkdownBlock): boolean {
  if (!a.open || !b.open || a.kind !== b.kind || !samePlace(a, b)) return false;
  if ('source' in a) return 'source' in b && a.source === b.source;
  return 'pieces' in b && a.pieces === b.pieces && a.count === b.count;
}
