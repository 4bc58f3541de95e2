import { withoutText, withText } from '../../state/aside';
import type { Drafts } from '../../state/drafts';
import type { Session } from '../../state/session';

/** The prompt that replaces the draft in the field. */
interface Recalled {
  readonly text: string;
  /** It was edited: it is stored alongside the draft and no longer is the prompt that was sent. */
  readonly changed: boolean;
  /** Its index in the list. */
  readonly at: number;
}

/**
 * The prompts of a space for the arrow keys, newest last. The draft comes after the last one and is kept while the
 * field shows another prompt. An edited prompt joins those stored alongside the draft, right before it.
 */
export class History {
  private readonly session: Session;
  private readonly drafts: Drafts;
  private recalled: Recalled | null = null;
  /** Texts that undo may restore in the field, besides the draft. */
  private readonly seen = new Set<string>();

  constructor(session: Session, drafts: Drafts) {
    this.session = session;
    this.drafts = drafts;
  }

  /** The field shows a prompt from the history in place of the draft. */
  get active(): boolean {
    return this.recalled !== null;
  }

  /**
   * Returns the previous or next prompt; null if the arrow key should move the cursor. Going up starts in an empty
   * field or at the very start of the text.
   */
  step(by: -1 | 1, field: HTMLTextAreaElement): string | null {
    const list = [...this.prompts(), ...this.aside];
    const { recalled } = this;
    const at = recalled === null ? list.length : place(recalled, list);
    if (by === -1) {
      if ((recalled === null || recalled.changed) && field.selectionEnd > 0) return null;
    } else if (recalled === null || field.selectionStart < field.value.length) return null;
    const next = at + by;
    if (next < 0) return null;
    const text = list[next];
    if (text === undefined) {
      this.recalled = null;
      return this.draft;
    }
    this.seen.add(text);
    this.recalled = { text, changed: false, at: next };
    return text;
  }

  /** Applies the text of the field. `undo`: it was restored by the browser. */
  typed(text: string, undo: boolean): void {
    if (undo && this.draft !== '' && (this.recalled !== null || this.seen.has(text))) {
      const at = [...this.prompts(), ...this.aside].lastIndexOf(text);
      if (text === this.draft) {
        this.recalled = null;
        return;
      }
      if (at >= 0) {
        this.recalled = { text, changed: false, at };
        return;
      }
    }
    if (this.recalled === null) this.save({ text });
    else if (this.draft.trim() === '') {
      // Nothing else was replaced, so this is the draft now.
      const { text: before } = this.recalled;
      this.recalled = null;
      this.save({ text, aside: withoutText(this.aside, before) });
    } else this.change(text, this.recalled);
  }

  /** Forgets the prompt being sent and returns the next text of the field. */
  sent(): string {
    const { recalled } = this;
    this.recalled = null;
    if (recalled === null) this.save({ text: '' });
    else this.save({ aside: withoutText(this.aside, recalled.text) });
    return this.draft;
  }

  /** Stores a text that can't stay in the field. */
  keep(text: string): void {
    this.drafts.keepAside(this.session.spaceId, text);
  }

  private change(text: string, recalled: Recalled): void {
    const rest = withoutText(
      this.aside,
      recalled.changed || recalled.at >= this.prompts().length ? recalled.text : '',
    );
    const aside = text === '' ? rest : withText(rest, text);
    this.save({ aside });
    if (text !== '') this.seen.add(text);
    this.recalled = {
      text,
      changed: true,
      at: this.prompts().length + (text === '' ? rest.length : aside.length - 1),
    };
  }

  private get draft(): string {
    return this.drafts.content(this.session.spaceId).text;
  }

  private get aside(): readonly string[] {
    return this.drafts.content(this.session.spaceId).aside;
  }

  private save(change: { text?: string; aside?: readonly string[] }): void {
    this.drafts.change(this.session.spaceId, change);
  }

  private prompts(): string[] {
    return this.session.store
      .get()
      .conversation.messages.filter(({ role }) => role === 'user')
      .map(({ segments }) =>
        segments.flatMap((s) => (s.type === 'text' ? [s.text.toString()] : [])).join('\n'),
      )
      .filter((text) => text !== '');
  }
}

/** The current index of a prompt: earlier prompts may have been loaded, and others sent. */
function place({ text, at }: Recalled, list: readonly string[]): number {
  if (text === '' || list[at] === text) return at;
  const found = list.lastIndexOf(text);
  return found < 0 ? list.length : found;
}
