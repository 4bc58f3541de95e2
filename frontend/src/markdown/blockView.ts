/**
 * The DOM of one block, from its first characters to its final form. React owns the host element and
 * nothing inside it.
 */
import { ChunkedText } from './chunkedText';
import { CodeView } from './codeView';
import { type Disposable, decorate } from './decorate';
import { DiagramView } from './diagrams/diagramView';
import { markEnd } from './end';
import { frameHasTime, onFrame } from './frameBudget';
import type { MarkdownBlock } from './groups';
import type { MarkdownLabels } from './labels';
import { drawAll, formulaOf } from './math/formulas';
import { mended } from './mended';
import { morph } from './morph';
import { fenceOf, type MarkdownContext, renderHtml, toFragment } from './render';

/** A finished block above this length is not formatted: one block is laid out as a whole. */
export const FORMAT_LIMIT = 64 * 1024;
/** A block above this length can wait for a frame that has time. */
const LONG = 4 * 1024;
const BACK_OFF = 8;
const MATH = /class="md-math"|data-md-language="math"/;

export class BlockView {
  readonly #host: HTMLElement;
  readonly #context: MarkdownContext;
  readonly #labels: MarkdownLabels;
  #block: MarkdownBlock | undefined;
  #code: CodeView | undefined;
  #plain: { readonly text: ChunkedText; readonly pieces: readonly string[] } | undefined;
  #nested: Disposable[] = [];
  /** Stops drawing formulas. */
  #stopMath: (() => void) | undefined;
  #html: string | undefined;
  /** How many pieces of an open block are shown. */
  #shown = 0;
  #notBefore = 0;
  #frame: number | undefined;

  constructor(host: HTMLElement, context: MarkdownContext, labels: MarkdownLabels) {
    this.#host = host;
    this.#context = context;
    this.#labels = labels;
  }

  show(block: MarkdownBlock): void {
    if (block === this.#block) return;
    this.#block = block;
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
      const html = block.html ?? this.#htmlOf(block);
      if (html !== undefined && this.#showFinished(html)) return;
      this.#showPlain([block.source]);
      this.#host.dataset['mdNote'] = this.#labels.tooLong;
    });
  }

  #htmlOf(block: MarkdownBlock & { readonly open: false }): string | undefined {
    const { references, spare } = this.#context;
    return block.source.length > FORMAT_LIMIT
      ? undefined
      : renderHtml(block.source, references, { spare, block });
  }

  dispose(): void {
    this.#stopMath?.();
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
    const view = this.#codeView(language);
    view.complete(code);
    for (const nested of this.#nested) nested.dispose();
    this.#nested =
      language === 'mermaid' && !this.#context.exact ? [new DiagramView(view, this.#labels)] : [];
    if (language === 'math' && !this.#context.exact) this.#showMath(code);
  }

  /** Replaces the code by the formula that it is, once that is drawn. */
  #showMath(code: string): void {
    const holder = document.createElement('div');
    const formula = formulaOf(code);
    holder.append(formula);
    this.#stopMath?.();
    this.#stopMath = drawAll(holder, this.#labels, () => {
      if (formula.dataset['mdDrawn'] === '') this.#replace(formula);
    });
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
    const html = renderHtml(mended(source), this.#context.references, undefined, true);
    if (html === undefined || (html !== this.#html && !this.#showPart(html))) this.#showPlain([source]);
    const now = performance.now();
    this.#notBefore = now + BACK_OFF * (now - started);
  }

  #showPart(html: string): boolean {
    const fragment = toFragment(html);
    if (fragment === undefined) return false;
    decorate(fragment, this.#labels, false, this.#context.exact);
    this.#fill(fragment);
    this.#html = html;
    this.#drawMath(html);
    return true;
  }

  #drawMath(html: string): void {
    this.#stopMath?.();
    this.#stopMath = MATH.test(html) && !this.#context.exact ? drawAll(this.#host, this.#labels) : undefined;
  }

  /** Returns false for HTML that may not be shown. */
  #showFinished(html: string): boolean {
    const same = html === this.#html;
    if (same && !html.includes('<pre')) return true;
    const fragment = toFragment(html);
    if (fragment === undefined) return false;
    for (const view of this.#nested) view.dispose();
    this.#nested = decorate(fragment, this.#labels, true, this.#context.exact);
    if (this.#nested.length > 0) {
      const box = markEnd(fragment);
      this.#replace(fragment);
      this.#host.toggleAttribute('data-md-box', box);
    } else this.#fill(fragment);
    this.#html = html;
    this.#drawMath(html);
    return true;
  }

  #fill(fragment: DocumentFragment): void {
    const box = markEnd(fragment);
    if (this.#plain !== undefined || this.#code !== undefined) this.#replace(fragment);
    else morph(this.#host, fragment);
    this.#host.toggleAttribute('data-md-box', box);
  }

  #replace(content: Node): void {
    if (content !== this.#code?.element) {
      this.#code?.dispose();
      this.#code = undefined;
    }
    if (!(content instanceof HTMLElement && content.className === 'md-plain')) this.#plain = undefined;
    this.#html = undefined;
    delete this.#host.dataset['mdNote'];
    this.#host.toggleAttribute('data-md-box', content === this.#code?.element);
    this.#host.replaceChildren(content);
  }
}
