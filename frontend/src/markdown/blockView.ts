/**
 * The DOM of one block, from its first characters to its final form. React owns the host element and
 * nothing inside it.
 */
import { ChunkedText } from './chunkedText';
import { CodeView } from './codeView';
import { decorate } from './decorate';
import { frameHasTime, onFrame } from './frameBudget';
import type { MarkdownBlock } from './groups';
import type { MarkdownLabels } from './labels';
import { mended } from './mended';
import { morph } from './morph';
import { fenceOf, type References, renderHtml, toFragment } from './render';

/** A finished block above this length is not formatted: one block is laid out as a whole. */
const FORMAT_LIMIT = 64 * 1024;
/** A block above this length can wait for a frame that has time. */
const LONG = 4 * 1024;
const BACK_OFF = 8;

export class BlockView {
  readonly #host: HTMLElement;
  readonly #references: References;
  readonly #labels: MarkdownLabels;
  #code: CodeView | undefined;
  #plain: { readonly text: ChunkedText; readonly pieces: readonly string[] } | undefined;
  #nested: CodeView[] = [];
  #html: string | undefined;
  /** How many pieces of an open block are shown. */
  #shown = 0;
  #notBefore = 0;
  #frame: number | undefined;

  constructor(host: HTMLElement, references: References, labels: MarkdownLabels) {
    this.#host = host;
    this.#references = references;
    this.#labels = labels;
  }

  show(block: MarkdownBlock): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    if (block.kind === 'code') {
      if (block.open) this.#showOpenCode(block.language, block.pieces);
      else this.#showCode(block.source);
    } else if (block.kind === 'plain') {
      this.#showPlain(block.pieces);
    } else if (block.open) {
      this.#showOpen(block.source);
    } else {
      this.#showWhole(block);
    }
  }

  /** Formats a finished block; a long one waits as plain text where this frame has no time left. */
  #showWhole(block: MarkdownBlock & { readonly open: false }): void {
    if (block.source.length > LONG && !frameHasTime()) {
      if (!this.#host.hasChildNodes()) this.#showPlain([block.source]);
      this.#frame = requestAnimationFrame(() => this.#showWhole(block));
      return;
    }
    onFrame(() => {
      const html = block.html ?? this.#htmlOf(block.source);
      if (html !== undefined) {
        this.#showFinished(html);
        return;
      }
      this.#showPlain([block.source]);
      this.#host.dataset['mdNote'] = this.#labels.tooLong;
    });
  }

  #htmlOf(source: string): string | undefined {
    return source.length > FORMAT_LIMIT ? undefined : renderHtml(source, this.#references);
  }

  dispose(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#code?.dispose();
    for (const view of this.#nested) view.dispose();
  }

  #showOpenCode(language: string, pieces: readonly string[]): void {
    const code = this.#codeView(language);
    if (this.#shown > pieces.length) return;
    const text = pieces.slice(this.#shown).join('');
    this.#shown = pieces.length;
    if (text !== '') code.append(text);
  }

  #showCode(source: string): void {
    const { language, code } = fenceOf(source);
    this.#codeView(language).complete(code);
  }

  #codeView(language: string): CodeView {
    if (this.#code === undefined || this.#code.language !== language) {
      this.#code?.dispose();
      this.#code = new CodeView(language, this.#labels);
      this.#shown = 0;
      this.#replace(this.#code.element);
    }
    return this.#code;
  }

  #showPlain(pieces: readonly string[]): void {
    if (this.#plain === undefined || this.#plain.pieces !== pieces) {
      const element = document.createElement('div');
      element.className = 'md-plain';
      element.dir = 'auto';
      this.#plain = { text: new ChunkedText(element), pieces };
      this.#shown = 0;
      this.#replace(element);
    }
    for (; this.#shown < pieces.length; this.#shown++) this.#plain.text.append(pieces[this.#shown] ?? '');
  }

  /** Renders what is there of an open block, at most for an eighth of the time. */
  #showOpen(source: string): void {
    const started = performance.now();
    if (started < this.#notBefore) {
      this.#frame = requestAnimationFrame(() => this.#showOpen(source));
      return;
    }
    const html = renderHtml(mended(source), this.#references);
    if (html === undefined) {
      this.#showPlain([source]);
    } else if (html !== this.#html) {
      const fragment = toFragment(html);
      decorate(fragment, this.#labels);
      this.#fill(fragment);
      this.#html = html;
    }
    const now = performance.now();
    this.#notBefore = now + BACK_OFF * (now - started);
  }

  #showFinished(html: string): void {
    const same = html === this.#html;
    if (same && !html.includes('<pre')) return;
    for (const view of this.#nested) view.dispose();
    const fragment = toFragment(html);
    this.#nested = decorate(fragment, this.#labels, true);
    if (this.#nested.length > 0) this.#replace(fragment);
    else this.#fill(fragment);
    this.#html = html;
  }

  #fill(fragment: DocumentFragment): void {
    if (this.#plain !== undefined || this.#code !== undefined) this.#replace(fragment);
    else morph(this.#host, fragment);
  }

  #replace(content: Node): void {
    if (content !== this.#code?.element) {
      this.#code?.dispose();
      this.#code = undefined;
    }
    if (!(content instanceof HTMLElement && content.className === 'md-plain')) this.#plain = undefined;
    this.#html = undefined;
    delete this.#host.dataset['mdNote'];
    this.#host.replaceChildren(content);
  }
}
