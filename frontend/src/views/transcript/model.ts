import { FrameJob } from '../../state/frame';
import type { Session } from '../../state/session';
import { Store } from '../../state/store';
import type { Looks } from '../../transcript/looks';
import { type Style, unstyled } from '../../transcript/style';
import type { Appearance } from '../../transport/api';
import { ProseDocuments } from './prose';
import { type Row, RowMaker } from './rows';

/** The rows of one space's transcript, kept up to date outside of rendering. */
export class TranscriptModel {
  readonly store: Store<{ rows: readonly Row[]; style: Style }>;
  private readonly session: Session;
  private thoughts: Appearance['thoughts'];
  private style: Style;
  private readonly maker: RowMaker;
  private readonly growing = new Set<() => void>();
  private readonly frame = new FrameJob(() => {
    this.maker.invalidate();
    this.update();
  });

  constructor(session: Session, thoughts: Appearance['thoughts'], looks = unstyled.looks) {
    this.session = session;
    this.thoughts = thoughts;
    this.style = { ...unstyled, looks };
    this.maker = new RowMaker(new ProseDocuments(() => this.frame.ask()));
    this.store = new Store<{ rows: readonly Row[]; style: Style }>({ rows: this.make(), style: this.style });
  }

  /** Observes the session until the returned function is called. */
  follow(): () => void {
    let conversation = this.session.store.get().conversation;
    this.update();
    const stop = this.session.store.subscribe(() => {
      const next = this.session.store.get().conversation;
      if (next === conversation) return;
      conversation = next;
      this.update();
    });
    return () => {
      stop();
      this.frame.cancel();
    };
  }

  /**
   * Registers a function to call when a row may have grown. The row renders its growing content itself: the rows stay
   * the same.
   */
  onGrowth(listener: () => void): () => void {
    this.growing.add(listener);
    return () => this.growing.delete(listener);
  }

  setThoughts(thoughts: Appearance['thoughts']): void {
    if (thoughts === this.thoughts) return;
    this.thoughts = thoughts;
    this.update();
  }

  setLooks(looks: Looks): void {
    if (looks === this.style.looks) return;
    this.style = { ...this.style, looks };
    this.update();
  }

  /** Shows or hides the hidden calls of a message. */
  reveal(messageId: string, shown: boolean): void {
    const revealed = new Set(this.style.revealed);
    if (shown) revealed.add(messageId);
    else revealed.delete(messageId);
    this.style = { ...this.style, revealed };
    this.update();
  }

  /** Reports whether the thoughts of a message are shown. */
  thinks(messageId: string): boolean {
    return this.thoughts !== 'hidden' || this.style.thinking.has(messageId);
  }

  /** Shows the thoughts of a message although thoughts are hidden. */
  revealThoughts(messageId: string): void {
    if (this.style.thinking.has(messageId)) return;
    this.style = { ...this.style, thinking: new Set([...this.style.thinking, messageId]) };
    this.update();
  }

  private update(): void {
    const rows = this.make();
    const before = this.store.get();
    if (rows !== before.rows || this.style !== before.style) this.store.set({ rows, style: this.style });
    for (const listener of this.growing) listener();
  }

  private make(): readonly Row[] {
    return this.maker.rows(this.session.store.get().conversation, this.thoughts, this.style);
  }
}
