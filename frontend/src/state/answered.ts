import { Store } from './store';

/** How many answers are kept: an answered request leaves the screen a moment later. */
const most = 100;

/** Thrown if an answer was undone before it was sent. */
export class AnswerUndone extends Error {
  override readonly name = 'TakenBack';
}

interface Held {
  readonly timer: ReturnType<typeof setTimeout>;
  send(): void;
  drop(): void;
}

/**
 * The user's answers in this window. A list uses them to tell whether a request left because the user answered it or on
 * its own. Answers that can be undone are held for a while, because an agent continues as soon as it has one.
 */
export class Answered {
  private readonly ids = new Set<string>();
  private readonly holding = new Map<string, Held>();
  /** The held answers, the latest last. */
  readonly held = new Store<{ ids: readonly string[] }>({ ids: [] });
  /** How long answers are held before they are sent, in milliseconds. */
  grace = 0;

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** Records an answer while it is being sent, and drops it if it was not accepted. */
  async by<T>(id: string, send: () => Promise<T>, took: (result: T) => boolean = () => true): Promise<T> {
    this.ids.add(id);
    const [oldest] = this.ids;
    if (this.ids.size > most && oldest !== undefined) this.ids.delete(oldest);
    try {
      const result = await send();
      if (!took(result)) this.ids.delete(id);
      return result;
    } catch (error) {
      this.ids.delete(id);
      throw error;
    }
  }

  /** The same, but the answer can be undone until it is sent. Throws [TakenBack] if it was. */
  sendHeld<T>(id: string, send: () => Promise<T>): Promise<T> {
    if (this.grace === 0 || this.holding.has(id)) return this.by(id, send);
    return this.by(id, async () => {
      await this.hold(id, this.grace);
      return send();
    });
  }

  /** Undoes an answer, by default the latest one, and returns its id, or undefined if none is held. */
  undo(id = [...this.holding.keys()].at(-1)): string | undefined {
    const held = id === undefined ? undefined : this.holding.get(id);
    if (id === undefined || held === undefined) return undefined;
    this.ids.delete(id);
    this.release(id, held);
    held.drop();
    return id;
  }

  /** Sends held answers at once. */
  flush(): void {
    for (const [id, held] of [...this.holding]) {
      this.release(id, held);
      held.send();
    }
  }

  private hold(id: string, grace: number): Promise<void> {
    return new Promise((send, reject) => {
      const timer = setTimeout(() => {
        this.release(id, held);
        send();
      }, grace);
      const held: Held = { timer, send, drop: () => reject(new AnswerUndone()) };
      this.holding.set(id, held);
      this.tell();
    });
  }

  private release(id: string, held: Held): void {
    clearTimeout(held.timer);
    this.holding.delete(id);
    this.tell();
  }

  private tell(): void {
    this.held.set({ ids: [...this.holding.keys()] });
  }
}
