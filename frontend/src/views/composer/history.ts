import type { Session } from '../../state/session';

/** The prompts of a space, newest last, for the arrow keys. */
export class History {
  private readonly session: Session;
  private at: number | null = null;
  private draft = '';

  constructor(session: Session) {
    this.session = session;
  }

  reset(): void {
    this.at = null;
  }

  /**
   * The prompt before or after the one shown; null if the arrow key must move the cursor. Going up
   * starts from an empty field, or from the very start of the text.
   */
  step(by: -1 | 1, field: HTMLTextAreaElement): string | null {
    const prompts = this.prompts();
    if (this.at !== null && field.value !== prompts[this.at]) this.at = null;
    if (by === -1) {
      if (this.at === null && field.selectionEnd > 0) return null;
      const next = (this.at ?? prompts.length) - 1;
      if (next < 0) return null;
      if (this.at === null) this.draft = field.value;
      this.at = next;
      return prompts[next] ?? null;
    }
    if (this.at === null || field.selectionStart < field.value.length) return null;
    const next = this.at + 1;
    this.at = next < prompts.length ? next : null;
    return this.at === null ? this.draft : (prompts[next] ?? null);
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
