/**
 * Long text in chunks of whole lines. Each chunk is a box with a known height, so that the browser lays out only what
 * is near the viewport, and appending touches only the last chunk.
 */
import { DrawingCost, isOrdinary, LAID_OUT } from './drawingCost';
import { escapeBidi } from './links';
import { RunBreaks } from './runs';

const CHUNK_LENGTH = 8 * 1024;
/** Wrapping text takes longer. */
const WRAPPED_LENGTH = 2 * 1024;
/** A line longer than this many chunks is split: one endless line would be laid out again and again. */
const LINE_BREAK = 2;
/** Most steps that drawing a chunk may take (see ink.ts), and the piece size in which they are counted. */
const CHUNK_COST = 30_000;
const COST_PIECE = 256;
/** Characters of a wrapped line, to estimate its height. */
const WRAPPED_LINE = 80;
/** How far back from the end of a line to search for a space to break at. */
const SPACE_WITHIN = 128;

export interface Chunk {
  readonly element: HTMLElement;
  /** The uncolored text at the end of the chunk. */
  rest: Text;
  length: number;
  lines: number;
  /** Steps that its characters take to draw. */
  cost: number;
  readonly meter: DrawingCost;
  /** Ends text runs in wrapped text. */
  readonly breaks: RunBreaks | undefined;
}

export class ChunkedText {
  readonly chunks: Chunk[] = [];
  readonly #host: HTMLElement;
  readonly #wrapped: boolean;

  /** `wrapped`: break lines that are too wide for the page. */
  constructor(host: HTMLElement, wrapped = false) {
    this.#host = host;
    this.#wrapped = wrapped;
  }

  get #length(): number {
    return this.#wrapped ? WRAPPED_LENGTH : CHUNK_LENGTH;
  }

  /** Steps that the whole text takes to draw. */
  get drawing(): number {
    return this.chunks.reduce((sum, { length, cost }) => sum + LAID_OUT * length + cost, 0);
  }

  /** Appends text, in its own element if it has a class. `marked`: it is a search match. */
  append(text: string, className = '', marked = false): void {
    const ordinary = isOrdinary(text);
    let at = 0;
    while (at < text.length) {
      const chunk = this.#last();
      const room = this.#room(chunk, text, at);
      const end = ordinary ? room : Math.min(room, whole(text, at + COST_PIECE));
      const part = text.slice(at, end);
      const element = className === '' ? undefined : document.createElement(marked ? 'mark' : 'span');
      if (element !== undefined) element.className = className;
      add(chunk, escapeBidi(part), element);
      chunk.length += part.length;
      chunk.lines += countLines(part) + (this.#wrapped ? part.length / WRAPPED_LINE : 0);
      chunk.cost += ordinary ? 0 : chunk.meter.take(part);
      at = end;
      // A full chunk gets its estimated height, for when it is off screen.
      const full = at === room && (at < text.length || (text.endsWith('\n') && chunk.length >= this.#length));
      if (full || chunk.cost >= CHUNK_COST) this.#seal(chunk);
    }
  }

  clear(): void {
    this.chunks.length = 0;
    this.#host.replaceChildren();
  }

  #last(): Chunk {
    const last = this.chunks.at(-1);
    if (last !== undefined && !last.element.hasAttribute('data-full')) return last;
    const element = document.createElement('span');
    element.className = 'md-chunk';
    const rest = document.createTextNode('');
    element.append(rest);
    this.#host.append(element);
    const breaks = this.#wrapped ? new RunBreaks() : undefined;
    const chunk = { element, rest, length: 0, lines: 0, cost: 0, meter: new DrawingCost(), breaks };
    this.chunks.push(chunk);
    return chunk;
  }

  /** Returns the end of the part of `text` that still belongs to `chunk`. */
  #room(chunk: Chunk, text: string, at: number): number {
    const newline = text.indexOf('\n', Math.max(at, at + this.#length - chunk.length));
    const end = newline < 0 ? text.length : newline + 1;
    const most = at + Math.max(1, LINE_BREAK * this.#length - chunk.length);
    if (end <= most) return end;
    const space = this.#wrapped ? text.lastIndexOf(' ', most - 1) + 1 : 0;
    return space > Math.max(at, most - SPACE_WITHIN) ? space : whole(text, most);
  }

  #seal(chunk: Chunk): void {
    chunk.element.setAttribute('data-full', '');
    chunk.element.style.setProperty('--md-lines', String(Math.max(1, Math.ceil(chunk.lines))));
  }
}

/** Adds text to the end of a chunk. */
function add(chunk: Chunk, text: string, element: HTMLElement | undefined) {
  const parent = element ?? chunk.element;
  if (element !== undefined) {
    chunk.element.append(element);
    endText(chunk, element);
  }
  let at = 0;
  for (const place of chunk.breaks?.take(text) ?? []) {
    chunk.rest.appendData(text.slice(at, place));
    parent.append(document.createElement('wbr'));
    endText(chunk, parent);
    at = place;
  }
  chunk.rest.appendData(at === 0 ? text : text.slice(at));
  if (element !== undefined) endText(chunk, chunk.element);
}

/** Makes the following text a new text node. */
function endText(chunk: Chunk, parent: HTMLElement) {
  chunk.rest = document.createTextNode('');
  parent.append(chunk.rest);
}

/** Returns the position, or the next one if it would split a surrogate pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000 ? at + 1 : at;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
