/**
 * The DOM of one block, from its first characters to its final form. React owns the host element and
 * nothing inside it.
 */
import { ChunkedText } from './chunkedText';
import { closeMarkup } from './closeMarkup';
import { CodeView } from './codeView';
import { type Disposable, decorate } from './decorate';
import { DiagramView } from './diagrams/diagramView';
import { LAID_OUT } from './drawingCost';
import { markEnd } from './end';
import { chargeDrawing, chargeFrame, frameHasTime, frameIsFull } from './frameBudget';
import type { MarkdownBlock } from './groups';
import type { MarkdownLabels } from './labels';
import { drawAll, formulaOf } from './math/formulas';
import { morph } from './morph';
import { fenceOf, type MarkdownContext, renderHtml, toFragment } from './render';

/** Longer finished blocks are not formatted, because a block is laid out as a whole. */
export const FORMAT_LIMIT = 64 * 1024;
/** Longer blocks may wait for a frame that has time. */
const LONG = 4 * 1024;
const BACK_OFF = 8;
/** Characters of plain text added to a block per frame. */
const PLAIN_PER_FRAME = 256 * 1024;
/** Steps of a code block, which has a header, a button and highlighting. */
const CODE = 2000;
const MATH = /class="md-math"|data-md-language="math"/;

type Finished = MarkdownBlock & { readonly open: false };

export class BlockView {
  readonly #host: HTMLElement;
  readonly #context: MarkdownContext;
  readonly #labels: MarkdownLabels;
  #block: MarkdownBlock | undefined;
  #code: CodeView | undefined;
  #plain: { readonly text: ChunkedText; readonly shown: string[] } | undefined;
  #nested: Disposable[] = [];
  /** Cancels drawing formulas. */
  #stopMath: (() => void) | undefined;
  #html: string | undefined;
  /** Number of pieces shown of an open block. */
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
    if (block.kind === 'code' && block.open) this.#showOpenCode(block.language, block.pieces);
    else if (block.kind === 'plain') this.#showPlain(block.pieces);
    else if (block.open) this.#showOpen(block.source);
    else this.#showWhole(block);
  }

  /**
   * Draws a finished block. If this frame is full, it waits; if the frame only has no time left, a long block is shown
   * as plain text meanwhile.
   */
  #showWhole(block: Finished): void {
    if (frameIsFull() || (block.source.length > LONG && !frameHasTime())) {
      if (!frameIsFull() && !this.#host.hasChildNodes()) this.#showPlain([block.source]);
      this.#frame = requestAnimationFrame(() => this.#showWhole(block));
      return;
    }
    chargeFrame(() => (block.kind === 'code' ? this.#showCode(block.source) : this.#format(block)));
  }

  #format(block: Finished): void {
    const html = block.html ?? this.#htmlOf(block);
    if (html !== undefined && this.#showFinished(html)) {
      chargeDrawing(LAID_OUT * block.source.length);
      return;
    }
    this.#showPlain([block.source]);
    this.#host.dataset['mdNote'] = this.#labels.tooLong;
  }

  #htmlOf(block: Finished): string | undefined {
    const { references, spare, exact } = this.#context;
    return block.source.length > FORMAT_LIMIT
      ? undefined
      : renderHtml(block.source, references, { spare, block }, false, exact);
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
    chargeDrawing(CODE);
    const view = this.#codeView(language);
    view.complete(code);
    for (const nested of this.#nested) nested.dispose();
    this.#nested =
      language === 'mermaid' && !this.#context.exact ? [new DiagramView(view, this.#labels)] : [];
    if (language === 'math' && !this.#context.exact) this.#showMath(code);
  }

  /** Replaces the code with the formula once it is drawn. */
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
    const more = this.#plain === undefined ? undefined : addedText(this.#plain.shown, pieces);
    if (this.#plain === undefined || more === undefined) {
      const element = document.createElement('div');
      element.className = 'md-plain';
      element.dir = 'auto';
      this.#plain = { text: new ChunkedText(element, true), shown: [] };
      this.#replace(element);
    }
    const { text, shown } = this.#plain;
    let room = PLAIN_PER_FRAME;
    for (const piece of more ?? pieces) {
      const part = piece.slice(0, room);
      text.append(part);
      shown.push(part);
      room -= part.length;
      if (room > 0) continue;
      this.#frame = requestAnimationFrame(() => this.#showPlain(pieces));
      return;
    }
  }

  /** Renders an open block so far, using at most an eighth of the time. */
  #showOpen(source: string): void {
    const started = performance.now();
    if (started < this.#notBefore) {
      this.#frame = requestAnimationFrame(() => this.#showOpen(source));
      return;
    }
    chargeFrame(() => {
      const html = renderHtml(
        closeMarkup(source),
        this.#context.references,
        undefined,
        true,
        this.#context.exact,
      );
      if (html === undefined || (html !== this.#html && !this.#showPart(html))) this.#showPlain([source]);
      else chargeDrawing(LAID_OUT * source.length);
    });
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

  /** Returns false if the HTML contains anything that is not allowed. */
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

/** Returns the text after `shown`, both in pieces, or undefined if `pieces` doesn't start with it. */
function addedText(shown: readonly string[], pieces: readonly string[]): string[] | undefined {
  let next = 0;
  let at = 0;
  for (const part of shown) {
    for (let taken = 0; taken < part.length; ) {
      const piece = pieces[next];
      if (piece === undefined) return undefined;
      const length = Math.min(part.length - taken, piece.length - at);
      // The pieces are mostly identical strings, which compare quickly.
      if (piece !== part && !piece.startsWith(part.slice(taken, taken + length), at)) return undefined;
      taken += length;
      at += length;
      if (at < piece.length) continue;
      next += 1;
      at = 0;
    }
  }
  const [first, ...rest] = pieces.slice(next);
  return first === undefined ? [] : [first.slice(at), ...rest];
}
