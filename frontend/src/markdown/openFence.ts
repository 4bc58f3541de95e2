/**
 * An open top-level code fence. Examines each line once, only for the closing fence, and emits the code as it arrives.
 * A line that could still become the closing fence is held back until that is decided.
 */
import { FenceDepth } from './fences';
import { parser } from './parser';

export class OpenFence {
  /** The code so far, in order. Only ever grows. */
  readonly pieces: string[] = [];
  #source: string[] = [];
  #line = '';
  #shown = 0;
  #marker: { readonly depth: FenceDepth; readonly indent: number } | undefined;
  #language = '';

  get language(): string {
    return this.#language;
  }

  /** All text so far, including the fences. */
  source(): string {
    return this.#source.join('') + this.#line;
  }

  /** Appends text. Returns the rest after the closing fence once that has arrived. */
  take(text: string): string | undefined {
    let at = 0;
    for (;;) {
      const newline = text.indexOf('\n', at);
      if (newline < 0) break;
      this.#line += text.slice(at, newline + 1);
      at = newline + 1;
      if (this.#endLine()) return text.slice(at);
    }
    this.#line += text.slice(at);
    this.#show();
    return undefined;
  }

  #endLine(): boolean {
    const line = this.#line;
    this.#source.push(line);
    const marker = this.#marker;
    if (marker === undefined) {
      const [, indent = '', fence = '', info = ''] = /^( *)(`{3,}|~{3,})([^\n]*)\n$/.exec(line) ?? [];
      if (fence !== '') {
        this.#marker = { depth: new FenceDepth(fence, info), indent: indent.length };
        this.#language =
          parser.utils
            .unescapeAll(info)
            .trim()
            .split(/[\s{,]/, 1)[0] ?? '';
      }
    } else if (closes(line, marker.depth)) {
      this.#line = '';
      return true;
    } else if (marker.indent === 0) {
      this.pieces.push(line.slice(this.#shown));
    } else {
      this.pieces.push(outdent(line, marker.indent));
    }
    this.#line = '';
    this.#shown = 0;
    return false;
  }

  #show(): void {
    const marker = this.#marker;
    if (marker === undefined || marker.indent > 0 || this.#shown === this.#line.length) return;
    if (this.#shown === 0 && /^[ ]{0,3}(?:`*|~*)[ \t]*$/.test(this.#line)) return;
    this.pieces.push(this.#line.slice(this.#shown));
    this.#shown = this.#line.length;
  }
}

function closes(line: string, depth: FenceDepth): boolean {
  const bare = /^ {0,3}(?! )/.exec(line)?.[0];
  return bare !== undefined && depth.closedBy(line.slice(bare.length, -1));
}

/** Removes up to `columns` columns of leading space, as the indentation of a fence does for its lines. */
function outdent(line: string, columns: number): string {
  let column = 0;
  let at = 0;
  for (; at < line.length && column < columns; at++) {
    const char = line.charAt(at);
    if (char === ' ') column += 1;
    else if (char === '\t') column += 4 - (column % 4);
    else break;
  }
  return ' '.repeat(Math.max(0, column - columns)) + line.slice(at);
}
