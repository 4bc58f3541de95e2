import type { OutlineEntry } from '../transport/api';
import { asCommandError, type CommandError, type Transport } from '../transport/transport';
import type { Session } from './session';
import { Store } from './store';

export interface OutlineState {
  entries: readonly OutlineEntry[];
  /** It was read completely. */
  done: boolean;
  error: CommandError | null;
}

/** Most entries kept of one outline. */
export const mostEntries = 50_000;
/** Delay before it is read again after changes, in ms, and the largest fraction of time spent on it. */
const again = 800;
const idle = 4;

/**
 * The outline of one space: read part by part, and read again from the first growing message when something arrives. It
 * is only read while a view uses it.
 */
export class SpaceOutline {
  readonly store = new Store<OutlineState>({ entries: [], done: false, error: null });
  private readonly transport: Transport;
  private readonly session: Session;
  private users = 0;
  private runs = 0;
  private open = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(transport: Transport, session: Session) {
    this.transport = transport;
    this.session = session;
  }

  /** Keeps it loaded until the returned function is called. */
  readonly use = (): (() => void) => {
    if (this.users++ === 0) void this.read(0);
    return () => {
      if (--this.users > 0) return;
      this.runs++;
      clearTimeout(this.timer);
    };
  };

  /** Reads it from the start. */
  reload(): void {
    void this.read(0);
  }

  private async read(from: number): Promise<void> {
    const run = ++this.runs;
    clearTimeout(this.timer);
    const began = performance.now();
    const seen = this.session.store.get().conversation;
    const waits = this.waiting();
    const entries = this.store.get().entries.filter(({ ord }) => ord < from);
    let first = true;
    try {
      for (let next = from; ; ) {
        const part = await this.transport.call('Outline', { spaceId: this.session.spaceId, from: next });
        if (run !== this.runs) return;
        if (first) this.open = part.open > 0 ? part.open : part.last + 1;
        first = false;
        for (const entry of part.entries) entries.push(entry);
        const done = part.next === 0 || entries.length >= mostEntries;
        // The old entries stay until their replacement is complete.
        if (done || !this.store.get().done)
          this.store.set({ entries: entries.slice(0, mostEntries), done, error: null });
        if (done) break;
        next = part.next;
      }
      this.watch(seen, waits, performance.now() - began);
    } catch (error) {
      if (run === this.runs) this.store.set({ error: asCommandError(error) });
    }
  }

  /** Number of open requests in the loaded range: an answer changes what an earlier message shows. */
  private waiting(): number {
    return this.session.store.get().conversation.runs.reduce((n, { waitsFor }) => n + waitsFor.length, 0);
  }

  private watch(seen: object, waits: number, took: number): void {
    const look = () => {
      const { conversation } = this.session.store.get();
      if (conversation === seen && conversation.runs.length === 0) return wait();
      void this.read(this.waiting() === waits ? this.open : 0);
    };
    const wait = () => {
      this.timer = setTimeout(look, Math.max(again, took * idle));
    };
    wait();
  }
}

/** Returns the last entry at or before a position; -1 before the first one. Entries are in conversation order. */
export function entryAt(entries: readonly OutlineEntry[], ord: number, segment: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && (entry.ord < ord || (entry.ord === ord && entry.segment <= segment)))
      low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export interface Tick {
  /** Range of entries it represents: from, up to but excluding. */
  from: number;
  to: number;
  kind: OutlineEntry['kind'];
}

/** Decides the look of a tick for several entries: the most important kind. */
const order = ['request', 'failure', 'prompt', 'branch', 'display', 'edit', 'notice'] as const;

/** Groups entries into at most `most` ticks: neighbors share one if there are more. */
export function ticksOf(entries: readonly OutlineEntry[], most: number): Tick[] {
  const n = Math.max(1, Math.min(most, entries.length));
  const ticks: Tick[] = [];
  for (let i = 0; i < n && entries.length > 0; i++) {
    const from = Math.floor((i * entries.length) / n);
    const to = Math.floor(((i + 1) * entries.length) / n);
    const kinds = new Set(entries.slice(from, to).map(({ kind }) => kind));
    ticks.push({ from, to, kind: order.find((kind) => kinds.has(kind)) ?? 'notice' });
  }
  return ticks;
}
