import type { FindCursor, FindHit } from '../transport/api';
import { asCommandError, type CommandError, type Transport } from '../transport/transport';
import type { Session } from './session';
import { Store } from './store';

export interface FindState {
  /** The query of the matches; empty if nothing is searched for. */
  query: string;
  hits: readonly FindHit[];
  /** The search reached the end of the conversation. */
  done: boolean;
  /** There are more matches than are kept. */
  capped: boolean;
  error: CommandError | null;
}

/** Most matches kept of one search. */
export const mostHits = 10_000;
const page = 500;
/** Bytes of text around a match. */
const context = 80;
/**
 * How often a space is searched again while a message is being written, in ms, and the largest fraction of time spent
 * on it.
 */
const again = 700;
const idle = 4;

const nothing: FindState = { query: '', hits: [], done: true, capped: false, error: null };

/**
 * The matches of a text in one space, loaded page by page. While messages are being written, they are searched again. A
 * new search cancels the previous one.
 */
export class SpaceFind {
  readonly store = new Store<FindState>(nothing);
  private readonly transport: Transport;
  private readonly session: Session;
  private runs = 0;
  /** The first message whose matches may still change. */
  private open = 1;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(transport: Transport, session: Session) {
    this.transport = transport;
    this.session = session;
  }

  search(query: string): void {
    this.stop();
    if (query === '') {
      this.store.set(nothing);
      return;
    }
    this.store.set({ query, done: false, capped: false, error: null });
    void this.run(query, null, []);
  }

  /** Stops the search; the matches stay. */
  stop(): void {
    this.runs++;
    clearTimeout(this.timer);
  }

  private async run(query: string, from: FindCursor | null, kept: readonly FindHit[]): Promise<void> {
    const run = ++this.runs;
    const began = performance.now();
    const hits = kept.slice();
    let next = from;
    let first = true;
    try {
      do {
        const request = { spaceId: this.session.spaceId, query, limit: page, context };
        const answer = await this.transport.call(
          'FindInSpace',
          next === null ? request : { ...request, from: next },
        );
        if (run !== this.runs) return;
        if (first) this.open = answer.open > 0 ? answer.open : answer.last + 1;
        first = false;
        for (const hit of answer.hits) hits.push(hit);
        next = answer.next;
        const capped = hits.length >= mostHits && next !== null;
        // Repeated results replace the old ones once they are complete.
        if (from === null || next === null || capped)
          this.store.set({ hits: hits.slice(0, mostHits), done: next === null, capped, error: null });
        if (capped) return;
      } while (next !== null);
      this.watch(query, performance.now() - began);
    } catch (error) {
      if (run === this.runs) this.store.set({ hits, done: true, error: asCommandError(error) });
    }
  }

  /** Searches again when new text arrives. */
  private watch(query: string, took: number): void {
    const seen = this.session.store.get().conversation;
    const wait = () => {
      this.timer = setTimeout(look, Math.max(again, took * idle));
    };
    const look = () => {
      const { conversation } = this.session.store.get();
      // If the end isn't loaded, only the runs show that something is being written.
      if (conversation === seen && conversation.runs.length === 0) return wait();
      const kept = this.store.get().hits.filter(({ ord }) => ord < this.open);
      void this.run(query, { ord: this.open, segment: 0, item: -1, skip: 0 }, kept);
    };
    wait();
  }
}

/** Reports whether both are the same match. */
export function sameHit(a: FindHit, b: FindHit): boolean {
  return (
    a.messageId === b.messageId &&
    a.segment === b.segment &&
    a.item === b.item &&
    a.source === b.source &&
    a.start === b.start &&
    a.before === b.before
  );
}

/** Reports whether a match is at or after a position. The error of a message comes after its segments. */
export function isFrom(hit: FindHit, ord: number, segment: number): boolean {
  return hit.ord > ord || (hit.ord === ord && (hit.segment < 0 || hit.segment >= segment));
}

/**
 * Returns the index of the first match at or after a position, wrapping around to the first one; -1 without matches.
 */
export function hitFrom(hits: readonly FindHit[], ord: number, segment: number): number {
  if (hits.length === 0) return -1;
  return Math.max(
    hits.findIndex((hit) => isFrom(hit, ord, segment)),
    0,
  );
}
