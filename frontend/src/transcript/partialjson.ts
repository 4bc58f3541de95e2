// Parses a JSON value that arrives in fragments, and reports its strings as they grow. backend/conversation/partialjson, which only reports
// top-level fields, is tested with the same cases. Each character is read once, and none is stored.

/** Receives what is found, in order. Path leads from the value of the field to a string in it, as a JSON pointer (RFC 6901); "" is the value itself. */
export interface Listener {
  /** A top-level field starts. A repeated field replaces the earlier one. */
  started(field: string): void;
  /** A string has grown; called at most once per string and fragment. */
  text(field: string, path: string, more: string): void;
  /** A top-level field is complete. */
  complete(field: string): void;
  /** The document is complete. */
  ended(): void;
}

/** Receives everything at any depth that is needed to build the value. */
export interface Builder {
  /** An object or an array starts. */
  opened(object: boolean): void;
  closed(): void;
  named(name: string): void;
  string(): void;
  grew(more: string): void;
  /** A complete number or literal. */
  scalar(value: number | boolean | null): void;
}

/** How many levels below the document strings are reported. */
const maxPath = 4;
/** Nothing is reported below a longer name. */
const maxName = 256;
/** The deepest allowed nesting. */
const maxDepth = 10_000;

type State =
  | 'value'
  | 'value-or-end'
  | 'name-or-end'
  | 'name'
  | 'colon'
  | 'after'
  | 'ended'
  | 'text'
  | 'escape'
  | 'hex'
  | 'literal'
  | NumberState;
type NumberState = 'sign' | 'zero' | 'digits' | 'point' | 'fraction' | 'e' | 'e-sign' | 'exponent';

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const literals: Readonly<Record<string, string>> = { t: 'rue', f: 'alse', n: 'ull' };
/** The characters of a string up to one that ends, escapes or breaks it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: not allowed in a string
const plain = /[^"\\\u0000-\u001f]+/y;
const blank = /[ \t\r\n]+/y;

export class PartialJson {
  /** Position of a syntax error in characters; -1 if there is none. */
  brokenAt = -1;
  private readonly listener: Listener;
  private readonly builder: Builder | undefined;
  private read = 0;
  private state: State = 'value';
  /** The open containers: whether each is an object. */
  private readonly stack: boolean[] = [];
  private readonly names: string[] = [];
  private readonly indices: number[] = [];
  private literal = '';
  private digits = '';
  private field = '';
  private path = '';
  private isName = false;
  /** Whether the string is reported to the listener, and whether its text is needed at all. */
  private told = false;
  private tells = false;
  /** The number so far, or the current literal. */
  private figures = '';
  private literalIs = false;
  private name = '';
  /** What the string gained in this fragment. */
  private more = '';
  /** The first half of a surrogate pair, until the second one arrives. */
  private high = '';

  constructor(listener: Listener, builder?: Builder) {
    this.listener = listener;
    this.builder = builder;
  }

  write(fragment: string): void {
    let at = 0;
    while (at < fragment.length && this.brokenAt < 0) {
      const n = this.step(fragment, at);
      if (n < 0) this.brokenAt = this.read + at;
      else at += n;
    }
    this.read += fragment.length;
    this.tell();
  }

  /** Consumes characters at a position and returns their number; -1 on a syntax error. */
  private step(s: string, at: number): number {
    const c = s[at] ?? '';
    switch (this.state) {
      case 'text':
        return this.characters(s, at, c);
      case 'escape':
        return this.escape(c);
      case 'hex':
        return this.hex(c);
      case 'literal':
        if (c !== this.literal[0]) return -1;
        this.literal = this.literal.slice(1);
        if (this.literal === '') {
          this.builder?.scalar(c === 'l' ? null : this.literalIs);
          this.finished();
        }
        return 1;
      case 'value':
      case 'value-or-end':
      case 'name-or-end':
      case 'name':
      case 'colon':
      case 'after':
      case 'ended':
        blank.lastIndex = at;
        if (blank.test(s)) return blank.lastIndex - at;
        return this.structure(c);
      default:
        return this.number(this.state, c);
    }
  }

  private structure(c: string): number {
    switch (this.state) {
      case 'value-or-end':
        return c === ']' ? this.pop() : this.value(c);
      case 'value':
        return this.value(c);
      case 'name-or-end':
      case 'name':
        if (c === '}' && this.state === 'name-or-end') return this.pop();
        if (c !== '"') return -1;
        this.openString(true);
        return 1;
      case 'colon':
        if (c !== ':') return -1;
        this.state = 'value';
        return 1;
      case 'after':
        return this.next(c);
      default:
        return -1;
    }
  }

  private next(c: string): number {
    const depth = this.stack.length;
    const inObject = this.stack[depth - 1] === true;
    if (c === ',') {
      if (!inObject && depth <= maxPath) this.indices[depth - 1] = (this.indices[depth - 1] ?? 0) + 1;
      this.state = inObject ? 'name' : 'value';
      return 1;
    }
    return c === (inObject ? '}' : ']') ? this.pop() : -1;
  }

  private value(c: string): number {
    const opens = c === '{' || c === '[';
    let state: State;
    if (c === '{') state = 'name-or-end';
    else if (c === '[') state = 'value-or-end';
    else if (c === '"') state = 'text';
    else if (c === '-') state = 'sign';
    else if (c === '0') state = 'zero';
    else if (isDigit(c)) state = 'digits';
    else if (literals[c] !== undefined) state = 'literal';
    else return -1;
    if (opens && this.stack.length === maxDepth) return -1;
    if (this.isTopLevel()) {
      this.field = this.names[0] ?? '';
      this.listener.started(this.field);
    }
    this.state = state;
    this.literal = literals[c] ?? '';
    this.literalIs = c === 't';
    this.figures = c;
    if (opens) this.builder?.opened(c === '{');
    if (opens) {
      this.stack.push(c === '{');
      if (this.stack.length <= maxPath) this.indices[this.stack.length - 1] = 0;
    } else if (c === '"') {
      this.openString(false);
    }
    return 1;
  }

  private isTopLevel(): boolean {
    return this.stack.length === 1 && this.stack[0] === true;
  }

  private pop(): number {
    this.stack.pop();
    this.builder?.closed();
    this.finished();
    return 1;
  }

  private finished(): void {
    this.state = this.stack.length === 0 ? 'ended' : 'after';
    if (this.stack.length === 0) this.listener.ended();
    else if (this.isTopLevel()) this.listener.complete(this.field);
  }

  private number(state: NumberState, c: string): number {
    const next = afterNumber(state, c);
    if (next !== undefined) {
      this.state = next;
      if (this.builder !== undefined) this.figures += c;
      return 1;
    }
    if (state !== 'zero' && state !== 'digits' && state !== 'fraction' && state !== 'exponent') return -1;
    this.builder?.scalar(Number(this.figures));
    this.finished();
    return 0;
  }

  private openString(name: boolean): void {
    this.isName = name;
    this.name = '';
    this.high = '';
    this.state = 'text';
    if (name) {
      this.tells = this.builder !== undefined || this.stack.length <= maxPath;
      return;
    }
    this.builder?.string();
    const path = this.place();
    this.told = path !== null;
    this.tells = this.told || this.builder !== undefined;
    this.path = path ?? '';
  }

  /** Returns the path of a string that starts here; null if it isn't reported. */
  private place(): string | null {
    const depth = this.stack.length;
    if (depth === 0 || depth > maxPath || this.stack[0] !== true) return null;
    let path = '';
    for (let i = 1; i < depth; i++) {
      if (this.stack[i] !== true) {
        path += `/${this.indices[i] ?? 0}`;
        continue;
      }
      const name = this.names[i] ?? '';
      if (name.length > maxName) return null;
      path += `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    }
    return path;
  }

  private characters(s: string, at: number, c: string): number {
    plain.lastIndex = at;
    if (plain.test(s)) {
      const n = plain.lastIndex - at;
      if (this.tells) this.add(s.slice(at, at + n));
      return n;
    }
    if (c === '\\') {
      this.state = 'escape';
      return 1;
    }
    if (c !== '"') return -1;
    if (this.tells) this.add('');
    this.tell();
    if (this.isName) {
      if (this.stack.length <= maxPath) this.names[this.stack.length - 1] = this.name;
      this.builder?.named(this.name);
      this.state = 'colon';
    } else {
      this.finished();
    }
    return 1;
  }

  private escape(c: string): number {
    if (c === 'u') {
      this.state = 'hex';
      this.digits = '';
      return 1;
    }
    const stands = escapes[c];
    if (stands === undefined) return -1;
    if (this.tells) this.add(stands);
    this.state = 'text';
    return 1;
  }

  private hex(c: string): number {
    if (!/^[0-9a-fA-F]$/.test(c)) return -1;
    this.digits += c;
    if (this.digits.length < 4) return 1;
    this.state = 'text';
    if (this.tells) this.unit(Number.parseInt(this.digits, 16));
    return 1;
  }

  /** Adds the character of a \u escape. Half of a surrogate pair becomes U+FFFD, as in encoding/json. */
  private unit(unit: number): void {
    const isHigh = unit >= 0xd800 && unit < 0xdc00;
    const isLow = unit >= 0xdc00 && unit < 0xe000;
    if (isLow && this.high !== '') {
      const pair = this.high + String.fromCharCode(unit);
      this.high = '';
      this.add(pair);
    } else if (isHigh) {
      this.add('');
      this.high = String.fromCharCode(unit);
    } else {
      this.add(isLow ? '\ufffd' : String.fromCharCode(unit));
    }
  }

  /** Appends text to the string, after any leftover half of a surrogate pair. */
  private add(text: string): void {
    const all = this.high === '' ? text : `\ufffd${text}`;
    this.high = '';
    if (this.isName) this.name += all;
    else this.more += all;
  }

  private tell(): void {
    if (this.more === '') return;
    const { more } = this;
    this.more = '';
    this.builder?.grew(more);
    if (this.told) this.listener.text(this.field, this.path, more);
  }
}

function isDigit(c: string): boolean {
  return c >= '0' && c <= '9' && c.length === 1;
}

function afterNumber(state: NumberState, c: string): NumberState | undefined {
  const digit = isDigit(c);
  switch (state) {
    case 'sign':
      return digit ? (c === '0' ? 'zero' : 'digits') : undefined;
    case 'zero':
      return c === '.' ? 'point' : isE(c) ? 'e' : undefined;
    case 'digits':
      return digit ? 'digits' : c === '.' ? 'point' : isE(c) ? 'e' : undefined;
    case 'point':
      return digit ? 'fraction' : undefined;
    case 'fraction':
      return digit ? 'fraction' : isE(c) ? 'e' : undefined;
    case 'e':
      return digit ? 'exponent' : c === '+' || c === '-' ? 'e-sign' : undefined;
    default:
      return digit ? 'exponent' : undefined;
  }
}

function isE(c: string): boolean {
  return c === 'e' || c === 'E';
}
