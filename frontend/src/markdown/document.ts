/**
 * A markdown text that grows. `append` takes deltas; finished and open blocks come out in groups, which serve as rows
 * of a virtual list: the key of a group never changes, a block never moves to another group, and an unchanged group
 * stays the same object. Framework-free.
 *
 * Cost: `append` only stores the delta. All work happens once per frame in `flush`, in slices, and depends on the new
 * text, not on the length of the whole.
 */
import { FoldStack, OpenFolds } from './folds/folds';
import { chargeFrame } from './frameBudget';
import { GroupDraft, type MarkdownGroup } from './groups';
import { collectDefinitions, type MarkdownContext, renderWithFootnotes } from './render';
import { BlockSplitter, type FinishedSource } from './splitter';
import { SharedBudget } from './work';

/** Most characters that one flush processes. */
const SLICE = 64 * 1024;
/** Footnotes require a parse of the whole text at its end; in a longer text they stay unresolved. */
const FOOTNOTE_LIMIT = 192 * 1024;

export interface DocumentOptions {
  /** Most characters kept in memory as blocks. Older groups are released. Default 4 M. */
  readonly keep?: number;
  /** Shows the source as written: no folds, formulas or diagrams. */
  readonly exact?: boolean;
  /** Milliseconds from any fixed origin. */
  readonly now?: () => number;
  /** Schedules a task, at most once per frame, and returns a function that cancels it. Defaults to the next frame. */
  readonly schedule?: (task: () => void) => () => void;
}

/** The state of a document. The same object until something changes. */
export interface DocumentSnapshot {
  readonly groups: readonly MarkdownGroup[];
  /** True once `end` was called and all text is processed. */
  readonly ended: boolean;
  /** Number of characters at the start of the text that are no longer in memory. */
  readonly released: number;
}

export class MarkdownDocument {
  /** Shared by its blocks. */
  readonly context: MarkdownContext;
  readonly #folds: FoldStack;
  readonly #splitter: BlockSplitter;
  #keep: number;
  readonly #schedule: (task: () => void) => () => void;
  readonly #listeners = new Set<() => void>();
  #pending: string[] = [];
  #cancel: (() => void) | undefined;
  #ending = false;
  #drafts: GroupDraft[] = [];
  /** Groups with visible open blocks. */
  readonly #opened = new Set<GroupDraft>();
  readonly #byKey = new Map<string, GroupDraft>();
  #count = 0;
  #kept = 0;
  #released = 0;
  #restored = 0;
  #footnotes = false;
  #definitions = 0;
  #snapshot: DocumentSnapshot = { groups: [], ended: false, released: 0 };

  constructor(options: DocumentOptions = {}) {
    const { exact = false } = options;
    this.context = { references: {}, spare: new SharedBudget(), folds: new OpenFolds(exact), exact };
    this.#folds = new FoldStack(this.context.folds);
    this.#splitter = new BlockSplitter(options.now ?? (() => performance.now()));
    this.#keep = options.keep ?? 4 * 1024 * 1024;
    this.#schedule = options.schedule ?? nextFrame;
  }

  /** Creates a document of a finished text. The first slice is available at once, the rest follows frame by frame. */
  static of(text: string, options?: DocumentOptions): MarkdownDocument {
    const document = new MarkdownDocument(options);
    document.append(text);
    document.end();
    document.flush();
    return document;
  }

  /** Appends text, which is shown with the next frame. */
  append(delta: string): void {
    if (this.#ending) throw new Error('the document has ended');
    if (delta === '') return;
    this.#pending.push(delta);
    this.#wake();
  }

  /** Marks the text as complete, which takes effect with the next frame. */
  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#wake();
  }

  /** Processes pending text. Runs automatically once per frame; call it to see new text at once. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#snapshot.ended) return;
    chargeFrame(() => this.#takeIn());
  }

  #takeIn(): void {
    const slice = this.#takeSlice();
    if (slice !== '') this.#splitter.append(slice);
    const ending = this.#ending && this.#pending.length === 0;
    const last = ending && !this.#splitter.behind;
    this.#add(last ? this.#splitter.finish() : this.#splitter.advance(ending));
    this.#showOpen();
    if (last) {
      this.#resolveDefinitions();
      // An unclosed fold contains the rest of the text, which nobody intended, so show it open.
      for (const fold of this.#folds.unclosed) this.context.folds.setDefault(fold, true);
    }
    this.#release();
    this.#publish(last);
    if (!last && (this.#pending.length > 0 || this.#splitter.waiting)) this.#wake();
  }

  /** Restores the released text as a whole; `text` has exactly `released` characters. */
  restore(text: string): void {
    const splitter = new BlockSplitter(() => 0);
    splitter.append(text);
    const drafts: GroupDraft[] = [];
    const folds = new FoldStack(this.context.folds);
    for (const block of splitter.finish()) {
      let draft = drafts.at(-1);
      if (draft === undefined || draft.isFull) {
        draft = new GroupDraft(`r${this.#restored}-${drafts.length}`, 0);
        drafts.push(draft);
        this.#byKey.set(draft.key, draft);
      }
      draft.add(block, `${draft.key}-${draft.size}`, this.#definitions, folds.take(block));
    }
    this.#restored += 1;
    this.#released = 0;
    this.#keep = Number.POSITIVE_INFINITY;
    this.#kept += text.length;
    this.#drafts = [...drafts, ...this.#drafts];
    this.#publish(this.#snapshot.ended);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): DocumentSnapshot => this.#snapshot;

  /** Returns the current group for a key, or undefined once it was released. The same object until it changes. */
  group(key: string): MarkdownGroup | undefined {
    return this.#byKey.get(key)?.view();
  }

  /** Stops all work. The last snapshot stays. */
  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#pending = [];
    this.#listeners.clear();
  }

  #wake(): void {
    this.#cancel ??= this.#schedule(() => {
      this.#cancel = undefined;
      this.flush();
    });
  }

  #takeSlice(): string {
    const text = this.#pending.length === 1 ? (this.#pending[0] ?? '') : this.#pending.join('');
    this.#pending = text.length > SLICE ? [text.slice(SLICE)] : [];
    return text.slice(0, SLICE);
  }

  #add(finished: readonly FinishedSource[]): void {
    for (const source of withDefinitions(finished)) {
      const { added, footnotes } = collectDefinitions(source, this.context.references);
      this.#footnotes ||= footnotes;
      this.#definitions += added;
    }
    for (const block of finished) {
      const place = this.#folds.take(block);
      this.#draftOf(this.#count).add(block, `b${this.#count}`, this.#definitions, place);
      this.#count += 1;
      this.#kept += block.source.length;
    }
  }

  #showOpen(): void {
    for (const draft of this.#opened) draft.clearOpen();
    this.#opened.clear();
    const folds = this.#folds.fork();
    for (const [i, part] of this.#splitter.open().entries()) {
      const index = this.#count + i;
      const draft = this.#draftOf(index);
      draft.show(part, `b${index}`, folds.take(part));
      this.#opened.add(draft);
    }
  }

  /** The group of a block, which is fixed when the block is first seen. */
  #draftOf(index: number): GroupDraft {
    for (let i = this.#drafts.length - 1; i >= 0; i--) {
      const draft = this.#drafts[i];
      if (draft === undefined || index >= draft.end) break;
      if (index >= draft.first) return draft;
    }
    let draft = this.#drafts.at(-1);
    if (draft === undefined || draft.isFull) {
      draft = new GroupDraft(`g${index}`, index);
      this.#drafts.push(draft);
      this.#byKey.set(draft.key, draft);
    }
    draft.end = index + 1;
    return draft;
  }

  /** Links and footnotes used before their definition can only be resolved at the end. */
  #resolveDefinitions(): void {
    if (this.#footnotes && this.#released === 0 && this.#kept <= FOOTNOTE_LIMIT) {
      const html = renderWithFootnotes(
        this.#drafts.flatMap((draft) => draft.sources()),
        this.context.exact,
      );
      let at = 0;
      for (const draft of this.#drafts) at += draft.setHtml(html.slice(at, at + draft.size));
      const notes = html[at];
      if (notes !== undefined && notes !== '') this.#draftOf(this.#count).addHtml(notes, `b${this.#count}`);
    }
    if (this.#definitions > 0) for (const draft of this.#drafts) draft.refresh(this.#definitions);
  }

  #release(): void {
    while (this.#kept > this.#keep && this.#drafts.length > 1) {
      const draft = this.#drafts.shift();
      if (draft === undefined) return;
      this.#byKey.delete(draft.key);
      this.#kept -= draft.length;
      this.#released += draft.length;
    }
  }

  #publish(ended: boolean): void {
    const groups = this.#drafts.map((draft) => draft.view()).filter(({ blocks }) => blocks.length > 0);
    this.#snapshot = { groups, ended, released: this.#released };
    for (const listener of this.#listeners) listener();
  }
}

/** Returns the blocks that may contain definitions. Neighbors are joined, because a parse has a high fixed cost. */
function withDefinitions(blocks: readonly FinishedSource[]): string[] {
  const texts: string[] = [];
  let before = -1;
  for (const [i, { source, kind }] of blocks.entries()) {
    if (kind === 'code' || !source.includes(']:')) continue;
    if (before === i - 1 && texts.length > 0) texts.push(`${texts.pop() ?? ''}${source}`);
    else texts.push(source);
    before = i;
  }
  return texts;
}

function nextFrame(task: () => void): () => void {
  const frame = requestAnimationFrame(task);
  return () => cancelAnimationFrame(frame);
}
