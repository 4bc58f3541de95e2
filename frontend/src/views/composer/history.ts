import { joined, without } from '../../state/aside';
import type { Drafts } from '../../state/drafts';
import type { Session } from '../../state/session';

/** What the field shows in place of the draft. */
interface Recalled {
  readonly text: string;
  /** It was changed: it is kept besides the draft, and no longer the prompt that was sent. */
  readonly changed: boolean;
  /** Where it is in the list. */
  readonly at: number;
}

/**
 * The prompts of a space, newest last, for the arrow keys. The draft is what comes after the last one. It stays what is
 * saved while another prompt is in the field. A prompt that is changed there joins those that are kept aside, and comes
 * right before the draft.
 */
export class History {
  private readonly session: Session;
  private readonly drafts: Drafts;
  private recalled: Recalled | null = null;
  /** What undo may bring back into the field, besides the draft. */
  private readonly seen = new Set<string>();

  constructor(session: Session, drafts: Drafts) {
    this.session = session;
    this.drafts = drafts;
  }

  /** The field shows a prompt from the history, and the draft is set aside. */
  get active(): boolean {
    return this.recalled !== null;
  }

  /**
   * The prompt before or after the one shown; null if the arrow key must move the cursor. Going up starts from an empty
   * field, or from the very start of the text.
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

  /** Takes over what is in the field now. undo: the browser has put it there again. */
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
      // Nothing else is set aside: this is the draft now.
      const { text: before } = this.recalled;
      this.recalled = null;
      this.save({ text, aside: without(this.aside, before) });
    } else this.change(text, this.recalled);
  }

  /** Forgets what is sent now, and returns what is in the field next. */
  sent(): string {
    const { recalled } = this;
    this.recalled = null;
    if (recalled === null) this.save({ text: '' });
    else this.save({ aside: without(this.aside, recalled.text) });
    return this.draft;
  }

  /** Keeps a text that has no place in the field. */
  keep(text: string): void {
    this.drafts.keepAside(this.session.spaceId, text);
  }

  private change(text: string, recalled: Recalled): void {
    const rest = without(
      this.aside,
      recalled.changed || recalled.at >= this.prompts().length ? recalled.text : '',
    );
    const aside = text === '' ? rest : joined(rest, text);
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

/** Where a prompt is by now: earlier ones may have been read, and others sent. */
function place({ text, at }: Recalled, list: readonly string[]): number {
  if (text === '' || list[at] === text) return at;
  const found = list.lastIndexOf(text);
  return found < 0 ? list.length : found;
}
