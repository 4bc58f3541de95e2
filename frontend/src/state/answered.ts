import { Store } from './store';

/** So many are kept: what was answered has left the screen a moment later. */
const most = 100;

/** An answer was taken back before it was sent. */
export class TakenBack extends Error {
  override readonly name = 'TakenBack';
}

interface Held {
  readonly timer: ReturnType<typeof setTimeout>;
  send(): void;
  drop(): void;
}

/**
 * What the user has answered in this window. A list in which requests leave tells by it whether one left because of the
 * user's own answer, or by itself. Answers that can be taken back are held for a while: an agent continues as soon as it has one.
 */
export class Answered {
  private readonly ids = new Set<string>();
  private readonly holding = new Map<string, Held>();
  /** The answers that are held, the latest last. */
  readonly held = new Store<{ ids: readonly string[] }>({ ids: [] });
  /** How long answers are held before they are sent, in milliseconds. */
  grace = 0;

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** Notes an answer while it is on its way, and no more if it was not taken. */
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

  /** The same, where the answer can be taken back until it is sent. Throws [TakenBack] if it was. */
  byHeld<T>(id: string, send: () => Promise<T>): Promise<T> {
    if (this.grace === 0 || this.holding.has(id)) return this.by(id, send);
    return this.by(id, async () => {
      await this.hold(id, this.grace);
      return send();
    });
  }

  /** Takes back an answer, or else the latest one, and returns its id; undefined where none is held. */
  takeBack(id = [...this.holding.keys()].at(-1)): string | undefined {
    const held = id === undefined ? undefined : this.holding.get(id);
    if (id === undefined || held === undefined) return undefined;
    this.ids.delete(id);
    this.release(id, held);
    held.drop();
    return id;
  }

  /** Sends at once what is held. */
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
      const held: Held = { timer, send, drop: () => reject(new TakenBack()) };
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
