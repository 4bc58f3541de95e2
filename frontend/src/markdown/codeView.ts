/**
 * A code block: a header with its language and a copy button, and the code. Text is shown at once; highlighting follows
 * line by line within a time budget and never delays text.
 */
import { ChunkedText } from './chunkedText';
import { isKnownLanguage, loadedMode, loadMode, type Mode } from './highlight/languages';
import { LineHighlighter } from './highlight/lineHighlighter';
import type { MarkdownLabels } from './labels';
import { escapeBidi } from './links';

/** Longer code is not highlighted. */
const COLOR_LIMIT = 200 * 1024;
const BUDGET_MS = 2;

const views = new WeakMap<Element, CodeView>();

/** Returns the code view of `element`, if it has one. */
export function codeViewOf(element: Element): CodeView | undefined {
  return views.get(element);
}

export class CodeView {
  readonly element: HTMLElement;
  readonly language: string;
  readonly #text: ChunkedText;
  readonly #pieces: string[] = [];
  #length = 0;
  #complete = false;
  #mode: Mode | undefined;
  #highlighter: LineHighlighter | undefined;
  /** The chunk that highlighting has reached. */
  #at = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #disposed = false;

  constructor(language: string, labels: MarkdownLabels) {
    this.language = language;
    const { element, code } = frame(language, labels);
    this.element = element;
    this.#text = new ChunkedText(code);
    views.set(element, this);
    if (isKnownLanguage(language)) this.#use(loadedMode(language));
  }

  /** The code as the agent wrote it, for copying. */
  get code(): string {
    return this.#pieces.join('');
  }

  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    this.#text.append(text);
    this.#highlight();
  }

  /** Marks the code as final. Highlights the rest, including a last line without a line break. */
  complete(code: string): void {
    if (code.length !== this.#length) {
      if (code.length > this.#length && code.startsWith(this.code)) this.append(code.slice(this.#length));
      else this.#reset(code);
    }
    this.#complete = true;
    this.#highlight();
  }

  /** Detaches the nodes: another view may adopt them one by one (see morph.ts). */
  release(): void {
    this.dispose();
    views.delete(this.element);
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }

  #reset(code: string): void {
    this.#text.clear();
    this.#pieces.length = 0;
    this.#length = 0;
    this.#at = 0;
    this.#highlighter = undefined;
    this.append(code);
  }

  #use(mode: Mode | undefined): void {
    if (mode !== undefined) {
      this.#mode = mode;
      return;
    }
    void loadMode(this.language).then((found) => {
      if (this.#disposed || found === undefined) return;
      this.#mode = found;
      this.#highlight();
    });
  }

  #highlight(): void {
    if (this.#mode === undefined || this.#length > COLOR_LIMIT || this.#timer !== undefined) return;
    this.#highlighter ??= new LineHighlighter(this.#mode);
    const end = performance.now() + BUDGET_MS;
    if (this.#highlightUntil(this.#highlighter, end)) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#highlight();
    });
  }

  /** Returns true if there is nothing left to highlight for now. */
  #highlightUntil(highlighter: LineHighlighter, end: number): boolean {
    for (;;) {
      const chunk = this.#text.chunks[this.#at];
      if (chunk === undefined) return true;
      const text = chunk.rest.data;
      const lastChunk = this.#at === this.#text.chunks.length - 1;
      const coloured = document.createDocumentFragment();
      let at = 0;
      let inTime = true;
      while (at < text.length && inTime) {
        let next = text.indexOf('\n', at) + 1;
        if (next === 0) {
          if (lastChunk && !this.#complete) break;
          next = text.length;
        }
        const line = text.slice(at, next);
        const hasBreak = line.endsWith('\n');
        highlighter.line(hasBreak ? line.slice(0, -1) : line, (part, kind) => emit(coloured, part, kind));
        if (hasBreak) emit(coloured, '\n', undefined);
        at = next;
        inTime = performance.now() < end;
      }
      if (at > 0) {
        chunk.element.insertBefore(coloured, chunk.rest);
        chunk.rest.deleteData(0, at);
      }
      if (!inTime) return false;
      if (lastChunk) return true;
      this.#at += 1;
    }
  }
}

function emit(parent: DocumentFragment, text: string, kind: string | undefined): void {
  if (kind === undefined) {
    const last = parent.lastChild;
    if (last instanceof Text) last.appendData(text);
    else parent.append(text);
    return;
  }
  const span = document.createElement('span');
  span.className = `tok-${kind}`;
  span.textContent = text;
  parent.append(span);
}

function frame(language: string, labels: MarkdownLabels) {
  const element = document.createElement('div');
  element.className = 'md-code';
  const head = document.createElement('div');
  head.className = 'md-code-head';
  const name = document.createElement('span');
  name.className = 'md-code-language';
  name.textContent = escapeBidi(language.slice(0, 40));
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'md-code-copy';
  copy.dataset['mdCopy'] = '';
  copy.textContent = labels.copy;
  head.append(name, copy);
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.dir = 'ltr';
  pre.setAttribute('role', 'group');
  pre.setAttribute('aria-label', language === '' ? labels.code : `${labels.code}: ${name.textContent}`);
  const code = document.createElement('code');
  pre.append(code);
  element.append(head, pre);
  return { element, code };
}
