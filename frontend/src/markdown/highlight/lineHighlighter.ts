/**
 * Highlights code line by line. The tokenizer carries its state from one line to the next, so that streamed code is
 * read once, and the cost of a line does not depend on the lines before it. Plain JavaScript, because the content
 * security policy allows neither eval nor WebAssembly.
 */
import { StringStream } from '@codemirror/streamparser';
import type { Mode } from './languages';

/** Longer lines (minified code, data) are not highlighted and don't change the state. */
const LINE_LIMIT = 2000;
const STUCK_LIMIT = 16;

/** Called for each piece of a line, in order; `kind` is undefined for plain text. */
export type Emit = (text: string, kind: string | undefined) => void;

export class LineHighlighter {
  readonly #mode: Mode;
  readonly #state: unknown;

  constructor(mode: Mode) {
    this.#mode = mode;
    this.#state = mode.startState?.(2) ?? {};
  }

  /** Reads one line, without its line break. */
  line(text: string, emit: Emit): void {
    if (text.length > LINE_LIMIT) {
      emit(text, undefined);
      return;
    }
    if (text === '') {
      this.#mode.blankLine?.(this.#state, 2);
      return;
    }
    const stream = new StringStream(text, 4, 2);
    let start = 0;
    let kind: string | undefined;
    let stuck = 0;
    while (!stream.eol()) {
      stream.start = stream.pos;
      const next = tokenKind(this.#token(stream));
      if (stream.pos === stream.start) {
        stuck += 1;
        if (stuck < STUCK_LIMIT) continue;
        stream.pos += 1;
      }
      stuck = 0;
      if (next !== kind) {
        if (stream.start > start) emit(text.slice(start, stream.start), kind);
        start = stream.start;
        kind = next;
      }
    }
    emit(text.slice(start), kind);
  }

  #token(stream: StringStream): string {
    try {
      // Several modes return undefined although their type says null.
      return this.#mode.token(stream, this.#state) ?? '';
    } catch {
      // If a tokenizer fails on odd input, only the highlighting is lost.
      stream.skipToEnd();
      return '';
    }
  }
}

const KINDS: Readonly<Record<string, string>> = {
  keyword: 'keyword',
  controlKeyword: 'keyword',
  modifier: 'keyword',
  self: 'keyword',
  operatorKeyword: 'keyword',
  atom: 'atom',
  bool: 'atom',
  null: 'atom',
  number: 'number',
  unit: 'number',
  color: 'number',
  string: 'string',
  character: 'string',
  escape: 'string',
  regexp: 'string',
  'string-2': 'string',
  url: 'string',
  comment: 'comment',
  lineComment: 'comment',
  blockComment: 'comment',
  docComment: 'comment',
  def: 'definition',
  definition: 'definition',
  heading: 'definition',
  typeName: 'type',
  className: 'type',
  namespace: 'type',
  type: 'type',
  'variable-3': 'type',
  tagName: 'tag',
  tag: 'tag',
  attributeName: 'property',
  propertyName: 'property',
  property: 'property',
  labelName: 'property',
  meta: 'meta',
  processingInstruction: 'meta',
  annotation: 'meta',
  documentMeta: 'meta',
  macroName: 'meta',
  builtin: 'builtin',
  standard: 'builtin',
  inserted: 'inserted',
  deleted: 'deleted',
  changed: 'meta',
  invalid: 'invalid',
};

const kinds = new Map<string, string | undefined>();

/** Returns the first name in a tokenizer style ("variableName.standard keyword") that has a color. */
function tokenKind(style: string): string | undefined {
  if (style === '') return undefined;
  if (kinds.has(style)) return kinds.get(style);
  let kind: string | undefined;
  for (const name of style.split(' ')) {
    const [tag = '', ...modifiers] = name.split('.');
    const found = [...modifiers, tag].find((part) => Object.hasOwn(KINDS, part));
    if (found !== undefined) kind ??= KINDS[found];
  }
  kinds.set(style, kind);
  return kind;
}
