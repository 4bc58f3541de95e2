/** Which folds of a text are open, and which blocks are in which fold. */
import type { FinishedSource, OpenPart } from '../splitter';
import { closings, opensByItself } from './rules';

/** The folds of one text that are open. Lives as long as the text, so that a fold stays as the user left it. */
export class OpenFolds {
  readonly #open = new Map<string, boolean>();
  readonly #chosen = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #version = 0;
  readonly #usually: boolean;

  /** `usually`: how a fold is that nothing is known of. */
  constructor(usually = false) {
    this.#usually = usually;
  }

  isOpen(id: string): boolean {
    return this.#open.get(id) ?? this.#usually;
  }

  /** Opens or closes a fold for the user. */
  set(id: string, open: boolean): void {
    this.#chosen.add(id);
    if (this.#change(id, open)) this.#tell();
  }

  /** How a fold is where the user has not opened or closed it. */
  suggest(id: string, open: boolean): void {
    if (this.#usually) return;
    // Texts are taken in while views render, which must not be told then.
    if (!this.#chosen.has(id) && this.#change(id, open)) queueMicrotask(() => this.#tell());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes with every fold. */
  readonly version = (): number => this.#version;

  #change(id: string, open: boolean): boolean {
    if (this.isOpen(id) === open) return false;
    this.#open.set(id, open);
    return true;
  }

  #tell(): void {
    this.#version += 1;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Where a block stands among the folds. */
export interface Place {
  /** The folds that it is in, outermost first. */
  readonly within: readonly string[];
  /** The fold that it opens. */
  readonly fold?: string;
  /** It closes nothing, and is text. */
  readonly stray?: boolean;
}

const NONE: readonly string[] = [];
/** Folds in folds beyond this are in the last one: more can't be drawn. */
const DEEPEST = 16;

/** Follows the blocks of a text and says in which folds each is. A fold's name is its number in the text. */
export class FoldStack {
  #within: readonly string[] = NONE;
  #count = 0;
  /** How many folds are open below the deepest. */
  #beyond = 0;
  readonly #open: OpenFolds;

  constructor(open: OpenFolds) {
    this.#open = open;
  }

  /** The folds that have not been closed. */
  get unclosed(): readonly string[] {
    return this.#within;
  }

  /** A copy that continues from here. */
  fork(): FoldStack {
    const copy = new FoldStack(this.#open);
    copy.#within = this.#within;
    copy.#count = this.#count;
    copy.#beyond = this.#beyond;
    return copy;
  }

  take(block: FinishedSource | OpenPart): Place {
    if (block.kind !== 'details' && block.kind !== 'details-end') return { within: this.#within };
    const { kind, source } = block;
    if (kind === 'details') {
      const fold = `f${this.#count++}`;
      const within = this.#within;
      this.#open.suggest(fold, opensByItself(source));
      if (within.length < DEEPEST) this.#within = [...within, fold];
      else this.#beyond += 1;
      return { within, fold };
    }
    const left = closings(source);
    if (this.#within.length === 0) return { within: NONE, stray: true };
    const beyond = Math.min(this.#beyond, left);
    this.#beyond -= beyond;
    this.#within = this.#within.slice(0, Math.max(0, this.#within.length - (left - beyond)));
    return { within: this.#within };
  }
}
