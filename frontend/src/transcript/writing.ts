import { PartialJson } from './partialjson';

// The input of a tool call while it is being written. Stores the beginning, the last lines and the length of each text.
// A fragment's cost depends only on the fragment, and memory is bounded.

/** Characters stored of the beginning of a text. */
const mostHead = 2048;
/** Characters stored of its end; up to twice as many temporarily. */
const mostTail = 8192;
/** How many texts are tracked at a time. Of an input with more, only the growing one is. */
const mostTexts = 64;

/** One text of the input. */
export class WrittenText {
  readonly field: string;
  /** Its path within the field; "" for the field itself. */
  readonly path: string;
  head = '';
  tail = '';
  /** Line breaks so far. */
  breaks = 0;
  length = 0;

  constructor(field: string, path: string) {
    this.field = field;
    this.path = path;
  }

  /** Its name: the last name in its path. */
  get name(): string {
    const names = this.path.split('/').filter((part) => part !== '' && !/^\d+$/.test(part));
    return names.at(-1) ?? this.field;
  }

  /** Lines so far; the last one may still grow. */
  get lines(): number {
    return this.breaks + (this.tail === '' || this.tail.endsWith('\n') ? 0 : 1);
  }

  append(more: string): void {
    if (this.head.length < mostHead) this.head += more.slice(0, mostHead - this.head.length);
    for (let at = more.indexOf('\n'); at >= 0; at = more.indexOf('\n', at + 1)) this.breaks++;
    this.length += more.length;
    this.tail += more;
    if (this.tail.length > 2 * mostTail) this.cut();
  }

  /** Returns the last lines with their numbers. */
  last(most: number): { number: number; text: string }[] {
    const ends = this.tail.endsWith('\n') ? this.tail.length - 1 : this.tail.length;
    let start = ends;
    for (let n = 0; n < most && start > 0; n++) start = this.tail.lastIndexOf('\n', start - 1);
    const texts = this.tail
      .slice(Math.max(0, start + (start > 0 ? 1 : 0)), ends)
      .split('\n')
      .slice(-most);
    if (this.length === 0) return [];
    return texts.map((text, i) => ({ number: Math.max(1, this.lines) - texts.length + 1 + i, text }));
  }

  private cut(): void {
    const from = this.tail.length - mostTail;
    const line = this.tail.indexOf('\n', from);
    this.tail = this.tail.slice(line < 0 ? from : line + 1);
  }
}

export class Writing {
  /** The text that grew last. */
  current: WrittenText | null = null;
  private readonly texts = new Map<string, WrittenText>();
  private readonly reader: PartialJson;

  constructor() {
    this.reader = new PartialJson({
      started: (field) => this.forget(field),
      text: (field, path, more) => this.grow(field, path, more),
      complete: () => {},
      ended: () => {},
    });
  }

  append(fragment: string): void {
    this.reader.write(fragment);
  }

  /** All tracked texts, in order. */
  all(): readonly WrittenText[] {
    return [...this.texts.values()];
  }

  private grow(field: string, path: string, more: string): void {
    const key = `${field}\0${path}`;
    let text = this.texts.get(key);
    if (text === undefined) {
      text = new WrittenText(field, path);
      if (this.texts.size >= mostTexts) {
        const [last] = [...this.texts.keys()].slice(-1);
        if (last !== undefined) this.texts.delete(last);
      }
      this.texts.set(key, text);
    }
    text.append(more);
    this.current = text;
  }

  /** A repeated field replaces the earlier one. */
  private forget(field: string): void {
    for (const [key, text] of this.texts) if (text.field === field) this.texts.delete(key);
  }
}
