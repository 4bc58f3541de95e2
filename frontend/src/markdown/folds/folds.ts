/** Tracks which folds of a text are open, and which blocks are in which fold. */
import type { FinishedSource, OpenPart } from '../splitter';
import { closings, opensByItself } from './rules';

/** The open folds of one text. Lives as long as the text, so that folds stay as the user left them. */
export class OpenFolds {
  readonly #open = new Map<string, boolean>();
  readonly #chosen = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #version = 0;
  readonly #usually: boolean;

  /** `usually`: the default state of a fold. */
  constructor(usually = false) {
    this.#usually = usually;
  }

  isOpen(id: string): boolean {
    return this.#open.get(id) ?? this.#usually;
  }

  /** Opens or closes a fold on behalf of the user. */
  set(id: string, open: boolean): void {
    this.#chosen.add(id);
    if (this.#change(id, open)) this.#tell();
  }

  /** Sets the state of a fold unless the user has opened or closed it. */
  setDefault(id: string, open: boolean): void {
    if (this.#usually) return;
    // Texts are processed while views render, and listeners must not be called then.
    if (!this.#chosen.has(id) && this.#change(id, open)) queueMicrotask(() => this.#tell());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes whenever a fold does. */
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

/** The position of a block among the folds. */
export interface Place {
  /** The enclosing folds, outermost first. */
  readonly within: readonly string[];
  /** The fold that this block opens. */
  readonly fold?: string;
  /** It closes no fold and is shown as text. */
  readonly stray?: boolean;
}

const NONE: readonly string[] = [];
/** Deeper folds are flattened into the last one, because they can't be drawn. */
const DEEPEST = 16;

/** Follows the blocks of a text and determines the folds of each. A fold is identified by its number in the text. */
export class FoldStack {
  #within: readonly string[] = NONE;
  #count = 0;
  /** How many folds beyond the deepest one are open. */
  #beyond = 0;
  readonly #open: OpenFolds;

  constructor(open: OpenFolds) {
    this.#open = open;
  }

  /** The folds that are still open. */
  get unclosed(): readonly string[] {
    return this.#within;
  }

  /** Returns a copy that continues from here. */
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
      this.#open.setDefault(fold, opensByItself(source));
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
