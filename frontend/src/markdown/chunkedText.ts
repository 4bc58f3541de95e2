/**
 * Long text in pieces of whole lines. Each piece is a box of its own with a known height, so that the
 * browser lays out only what is near the screen, and appending touches the last piece only.
 */
import { Ink, isOrdinary, LAID_OUT } from './ink';
import { escapeBidi } from './links';
import { RunBreaks } from './runs';

const CHUNK_LENGTH = 8 * 1024;
/** Text that is broken into lines takes longer. */
const WRAPPED_LENGTH = 2 * 1024;
/** A single line longer than so many chunks is broken: one endless line would be laid out again and again. */
const LINE_BREAK = 2;
/** Steps that the letters of a chunk may take (see ink.ts), and in which pieces they are looked at. */
const CHUNK_INK = 30_000;
const INK_PIECE = 256;
/** Characters of a wrapped line, for a guess of its height. */
const WRAPPED_LINE = 80;
/** How far before its end a line is looked through for a space to break it at. */
const SPACE_WITHIN = 128;

export interface Chunk {
  readonly element: HTMLElement;
  /** The text at the end of the chunk that has no color (yet). */
  rest: Text;
  length: number;
  lines: number;
  /** The steps that its letters take. */
  ink: number;
  readonly meter: Ink;
  /** Ends the runs of what is broken into lines. */
  readonly breaks: RunBreaks | undefined;
}

export class ChunkedText {
  readonly chunks: Chunk[] = [];
  readonly #host: HTMLElement;
  readonly #wrapped: boolean;

  /** `wrapped`: lines are broken where they are too long for the page. */
  constructor(host: HTMLElement, wrapped = false) {
    this.#host = host;
    this.#wrapped = wrapped;
  }

  get #length(): number {
    return this.#wrapped ? WRAPPED_LENGTH : CHUNK_LENGTH;
  }

  /** The steps that all of it takes to draw. */
  get drawing(): number {
    return this.chunks.reduce((sum, { length, ink }) => sum + LAID_OUT * length + ink, 0);
  }

  /** Adds text to its end, in an element of its own where that has a class. `marked`: it is what was looked for. */
  append(text: string, className = '', marked = false): void {
    const ordinary = isOrdinary(text);
    let at = 0;
    while (at < text.length) {
      const chunk = this.#last();
      const room = this.#room(chunk, text, at);
      const end = ordinary ? room : Math.min(room, whole(text, at + INK_PIECE));
      const part = text.slice(at, end);
      const element = className === '' ? undefined : document.createElement(marked ? 'mark' : 'span');
      if (element !== undefined) element.className = className;
      add(chunk, escapeBidi(part), element);
      chunk.length += part.length;
      chunk.lines += countLines(part) + (this.#wrapped ? part.length / WRAPPED_LINE : 0);
      chunk.ink += ordinary ? 0 : chunk.meter.take(part);
      at = end;
      // A full chunk gets its height fixed as a guess for when it is off screen.
      const full = at === room && (at < text.length || (text.endsWith('\n') && chunk.length >= this.#length));
      if (full || chunk.ink >= CHUNK_INK) this.#seal(chunk);
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
    const chunk = { element, rest, length: 0, lines: 0, ink: 0, meter: new Ink(), breaks };
    this.chunks.push(chunk);
    return chunk;
  }

  /** Where the part of `text` that still belongs to `chunk` ends. */
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

/** Has what comes next be text of its own. */
function endText(chunk: Chunk, parent: HTMLElement) {
  chunk.rest = document.createTextNode('');
  parent.append(chunk.rest);
}

/** The place in a text, or the one behind it where that is within a pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000 ? at + 1 : at;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
