/**
 * Long text in pieces of whole lines. Each piece is a box of its own with a known height, so that the
 * browser lays out only what is near the screen, and appending touches the last piece only.
 */
import { escapeBidi } from './links';

const CHUNK_LENGTH = 8 * 1024;
/** A single line longer than this is broken: one endless line would be laid out again and again. */
const LINE_BREAK = 32 * 1024;

export interface Chunk {
  readonly element: HTMLElement;
  /** The text at the end of the chunk that has no color (yet). */
  readonly rest: Text;
  length: number;
  lines: number;
}

export class ChunkedText {
  readonly chunks: Chunk[] = [];
  readonly #host: HTMLElement;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  append(text: string): void {
    let at = 0;
    while (at < text.length) {
      const chunk = this.#last();
      const end = this.#room(chunk, text, at);
      const part = text.slice(at, end);
      chunk.rest.appendData(escapeBidi(part));
      chunk.length += part.length;
      chunk.lines += countLines(part);
      at = end;
      // A full chunk gets its height fixed as a guess for when it is off screen.
      if (at < text.length) this.#seal(chunk);
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
    const chunk = { element, rest, length: 0, lines: 0 };
    this.chunks.push(chunk);
    return chunk;
  }

  /** Where the part of `text` that still belongs to `chunk` ends. */
  #room(chunk: Chunk, text: string, at: number): number {
    const newline = text.indexOf('\n', Math.max(at, at + CHUNK_LENGTH - chunk.length));
    const end = newline < 0 ? text.length : newline + 1;
    const most = at + Math.max(1, LINE_BREAK - chunk.length);
    if (end <= most) {
      if (newline >= 0 && end === text.length) this.#seal(chunk);
      return end;
    }
    return most;
  }

  #seal(chunk: Chunk): void {
    chunk.element.setAttribute('data-full', '');
    chunk.element.style.setProperty('--md-lines', String(Math.max(1, chunk.lines)));
  }
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
