import { FrameJob } from '../../state/frame';
import type { Session } from '../../state/session';
import { Store } from '../../state/store';
import type { Appearance } from '../../transport/api';
import { ProseDocuments } from './prose';
import { type Row, RowMaker } from './rows';

/** The rows of one space's transcript, kept up to date outside of rendering. */
export class TranscriptModel {
  readonly store: Store<{ rows: readonly Row[] }>;
  private readonly session: Session;
  private thoughts: Appearance['thoughts'];
  private readonly maker: RowMaker;
  private readonly frame = new FrameJob(() => {
    this.maker.invalidate();
    this.update();
  });

  constructor(session: Session, thoughts: Appearance['thoughts']) {
    this.session = session;
    this.thoughts = thoughts;
    this.maker = new RowMaker(new ProseDocuments(() => this.frame.ask()));
    this.store = new Store<{ rows: readonly Row[] }>({ rows: this.make() });
  }

  /** Follows the session until the returned function is called. */
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

  setThoughts(thoughts: Appearance['thoughts']): void {
    if (thoughts === this.thoughts) return;
    this.thoughts = thoughts;
    this.update();
  }

  private update(): void {
    this.store.set({ rows: this.make() });
  }

  private make(): readonly Row[] {
    return this.maker.rows(this.session.store.get().conversation, this.thoughts);
  }
}
