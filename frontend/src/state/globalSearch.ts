import type { FoundSpace, FoundTitle, IndexProgress, SearchHit } from '../transport/api';
import { asCommandError, type CommandError, type Transport } from '../transport/transport';
import type { Screen } from './shown';
import { Store } from './store';

/** The state of the search screen. */
export interface SearchView {
  /** Text of the search field. */
  query: string;
  /** The screen from which it was opened. */
  from: Screen;
  /** Incremented each time it is opened. */
  n: number;
}

export interface GlobalSearchState {
  /** The query of the results. */
  query: string;
  hits: readonly SearchHit[];
  titles: readonly FoundTitle[];
  spaces: ReadonlyMap<string, FoundSpace>;
  /** Notes about ignored parts of the query. */
  notes: readonly string[];
  index: IndexProgress;
  /** Cursor for more results; 0 if there are no more. */
  next: number;
  busy: boolean;
  error: CommandError | null;
  /** The total number of results, once counted. */
  total: SearchTotal | null;
}

export interface SearchTotal {
  results: number;
  spaces: number;
  /** There are more results than were counted. */
  more: boolean;
}

/** How many results are loaded automatically. */
const enough = 40;
/** The number of pages for that: if matches are rare, a long search only runs on request. */
const mostPages = 8;
/** Most results kept in memory. */
export const mostHits = 1000;

const nothing: GlobalSearchState = {
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

/**
 * Delay before the results of a search are counted, the longest duration of counting, both in ms, and the highest
 * count.
 */
const rest = 250;
const countsFor = 2500;
const mostCounted = 10_000;

/** Identifies a result. */
export function hitKey({ spaceId, messageId, segment, item, pos }: SearchHit): string {
  return `${spaceId}/${messageId}/${segment}/${item}/${pos ?? 0}`;
}

/** The results of a query in all spaces, loaded page by page. A new search cancels the previous one. */
export class GlobalSearch {
  readonly store = new Store<GlobalSearchState>(nothing);
  readonly view = new Store<SearchView>({ query: '', from: 'space', n: 0 });
  private readonly transport: Transport;
  private runs = 0;
  /** The last query. */
  private wanted = '';

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** Searches, unless the results are already there or loading. */
  search(query: string): void {
    const { query: found, busy } = this.store.get();
    if (query === this.wanted && (busy || query === found)) return;
    this.wanted = query;
    const run = ++this.runs;
    if (query.trim() === '') {
      this.store.set(nothing);
      return;
    }
    // The previous results stay until the first page arrives.
    this.store.set({ busy: true });
    void this.read(run, query, 0, mostPages);
  }

  /** Loads older results. */
  more(): void {
    const { query, next, busy } = this.store.get();
    if (next === 0 || busy) return;
    this.store.set({ busy: true });
    void this.read(++this.runs, query, next, mostPages);
  }

  /** Stops the search; the results stay. */
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
        // A message indexed between two pages could appear twice.
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

  /** Counts the results beyond those loaded, unless another search starts. */
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
      // The results are there; only the total stays unknown.
    }
    if (run === this.runs) this.store.set({ total: { results, spaces: spaces.size, more: next !== 0 } });
  }
}
