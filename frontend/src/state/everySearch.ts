import type { FoundSpace, FoundTitle, IndexProgress, SearchHit } from '../transport/api';
import { asCommandError, type CommandError, type Transport } from '../transport/transport';
import type { Screen } from './shown';
import { Store } from './store';

/** Where the search is. */
export interface SearchView {
  /** What is in its field. */
  query: string;
  /** The screen that it was opened from. */
  from: Screen;
  /** Counts how often it was opened. */
  n: number;
}

export interface EverySearchState {
  /** What the hits are of. */
  query: string;
  hits: readonly SearchHit[];
  titles: readonly FoundTitle[];
  spaces: ReadonlyMap<string, FoundSpace>;
  /** Sentences about what of the query was ignored. */
  notes: readonly string[];
  index: IndexProgress;
  /** Asks for more; 0 where there is no more. */
  next: number;
  busy: boolean;
  error: CommandError | null;
  /** How much there is in all, once that was counted. */
  total: SearchTotal | null;
}

export interface SearchTotal {
  results: number;
  spaces: number;
  /** There is more than was counted. */
  more: boolean;
}

/** So many hits are looked for without being asked. */
const enough = 40;
/** In so many pages: what is rare in much is looked for at length only when the user wants it. */
const mostPages = 8;
/** More than this is not held. */
export const mostHits = 1000;

const nothing: EverySearchState = {
  query: '',
  hits: [],
  titles: [],
  spaces: new Map(),
  notes: [],
  index: { done: 0, total: 0 },
  next: 0,
  busy: false,
  error: null,
  total: null,
};

/** How long a search rests before its results are counted, how long they are counted, in ms, and how many of them at most. */
const rest = 250;
const countsFor = 2500;
const mostCounted = 10_000;

/** Tells a hit from all others. */
export function hitKey({ spaceId, messageId, segment, item, pos }: SearchHit): string {
  return `${spaceId}/${messageId}/${segment}/${item}/${pos ?? 0}`;
}

/** What a query finds in all spaces, page by page as it is found. A new search ends the one before. */
export class EverySearch {
  readonly store = new Store<EverySearchState>(nothing);
  readonly view = new Store<SearchView>({ query: '', from: 'space', n: 0 });
  private readonly transport: Transport;
  private runs = 0;
  /** What was searched for last. */
  private wanted = '';

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** Searches, unless that is found already or on its way. */
  search(query: string): void {
    const { query: found, busy } = this.store.get();
    if (query === this.wanted && (busy || query === found)) return;
    this.wanted = query;
    const run = ++this.runs;
    if (query.trim() === '') {
      this.store.set(nothing);
      return;
    }
    // What was found last stays in view until the first page is there.
    this.store.set({ busy: true });
    void this.read(run, query, 0, mostPages);
  }

  /** Looks for older hits. */
  more(): void {
    const { query, next, busy } = this.store.get();
    if (next === 0 || busy) return;
    this.store.set({ busy: true });
    void this.read(++this.runs, query, next, mostPages);
  }

  /** Ends the search; what was found stays. */
  stop(): void {
    this.runs++;
    this.store.set({ busy: false });
  }

  private async read(run: number, query: string, from: number, pages: number): Promise<void> {
    let next = from;
    const wanted = (from === 0 ? 0 : this.store.get().hits.length) + enough;
    try {
      for (let page = 0; page < pages; page++) {
        const first = next === 0;
        const answer = await this.transport.call('Search', first ? { query } : { query, next });
        if (run !== this.runs) return;
        const before = first ? nothing : this.store.get();
        const spaces = new Map(before.spaces);
        for (const space of answer.spaces) spaces.set(space.id, space);
        // What is indexed between two pages could come twice.
        const known = new Set(before.hits.map(hitKey));
        const more = answer.hits.filter((hit) => !known.has(hitKey(hit)));
        const hits = [...before.hits, ...more].slice(0, mostHits);
        next = hits.length < mostHits ? answer.next : 0;
        const ends = next === 0 || hits.length >= wanted || page === pages - 1;
        this.store.set({
          query,
          hits,
          spaces,
          titles: first ? answer.titles : before.titles,
          notes: answer.notes,
          index: answer.index,
          next,
          busy: !ends,
          error: null,
          total: first ? null : this.store.get().total,
        });
        if (ends) {
          if (this.store.get().total === null) void this.count(run, query, answer.next);
          return;
        }
      }
    } catch (error) {
      if (run !== this.runs) return;
      const failed = asCommandError(error);
      this.store.set({ ...(from === 0 ? { ...nothing, query } : {}), busy: false, error: failed });
    }
  }

  /** Counts what there is besides the hits that are held, as long as nothing else is searched. */
  private async count(run: number, query: string, from: number): Promise<void> {
    const { hits } = this.store.get();
    const spaces = new Set(hits.map(({ spaceId }) => spaceId));
    let results = hits.length;
    let next = from;
    if (next !== 0) await new Promise((resolve) => setTimeout(resolve, rest));
    const until = performance.now() + countsFor;
    try {
      while (run === this.runs && next !== 0 && results < mostCounted && performance.now() < until) {
        const answer = await this.transport.call('CountResults', { query, next });
        results += answer.results;
        for (const id of answer.spaces) spaces.add(id);
        next = answer.next;
      }
    } catch {
      // The hits are there; how many more there are is not known then.
    }
    if (run === this.runs) this.store.set({ total: { results, spaces: spaces.size, more: next !== 0 } });
  }
}
