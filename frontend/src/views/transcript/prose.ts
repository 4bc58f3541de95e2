import { MarkdownDocument } from '../../markdown';
import type { GrowingText } from '../../transcript/text';

/**
 * The markdown documents of the texts in memory: one for each text that is rendered as a unit. A document only
 * processes new text, and is dropped with its text.
 */
export class ProseDocuments {
  private readonly known = new WeakMap<GrowingText, Entry>();
  private readonly changed: () => void;

  /** `changed` is called when a document has more content than when it was returned. */
  constructor(changed: () => void) {
    this.changed = changed;
  }

  /** Returns the up-to-date document of consecutive texts. */
  of(texts: readonly GrowingText[], ended: boolean): MarkdownDocument {
    const first = texts[0] as GrowingText;
    let entry = this.known.get(first);
    if (entry === undefined || !entry.continues(texts)) {
      entry?.document.dispose();
      entry = new Entry(this.changed);
      this.known.set(first, entry);
    }
    entry.take(texts, ended);
    return entry.document;
  }
}

class Entry {
  readonly document = new MarkdownDocument();
  private texts: readonly GrowingText[] = [];
  /** How many pieces of the last text have been processed. */
  private position = 0;
  private ended = false;
  private taking = false;

  constructor(changed: () => void) {
    this.document.subscribe(() => {
      if (!this.taking) changed();
    });
  }

  continues(texts: readonly GrowingText[]): boolean {
    if (this.texts.some((text, i) => texts[i] !== text)) return false;
    const more = texts.length > this.texts.length || (texts.at(-1)?.end ?? 0) > this.position;
    return !(this.ended && more);
  }

  take(texts: readonly GrowingText[], ended: boolean): void {
    let grew = false;
    for (let i = Math.max(0, this.texts.length - 1); i < texts.length; i++) {
      if (i >= this.texts.length) this.position = 0;
      const text = texts[i] as GrowingText;
      for (const piece of text.from(this.position)) {
        this.document.append(piece);
        grew = true;
      }
      this.position = text.end;
    }
    this.texts = texts;
    if (ended && !this.ended) {
      this.ended = true;
      this.document.end();
      grew = true;
    }
    if (!grew) return;
    this.taking = true;
    this.document.flush();
    this.taking = false;
  }
}
