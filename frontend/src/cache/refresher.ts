import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';

/**
 * Refetches outdated responses. While a request is in flight, further invalidations are combined into one request that
 * follows it and reads the latest state.
 */
export class Refresher {
  private readonly queries: QueryClient;
  private readonly waiting = new Map<string, QueryKey>();

  constructor(queries: QueryClient) {
    this.queries = queries;
    queries.getQueryCache().subscribe((event) => {
      if (event.type === 'updated' && event.action.type !== 'fetch' && this.waiting.size > 0) this.retry();
    });
  }

  outdated(key: QueryKey): void {
    if (this.queries.isFetching({ queryKey: key }) > 0) {
      this.waiting.set(hashKey(key), key);
      return;
    }
    void this.queries.invalidateQueries({ queryKey: key });
  }

  /** Refetches everything, because events were lost. */
  all(): void {
    this.outdated([]);
  }

  private retry(): void {
    for (const [hash, key] of [...this.waiting]) {
      if (this.queries.isFetching({ queryKey: key }) > 0) continue;
      this.waiting.delete(hash);
      void this.queries.invalidateQueries({ queryKey: key });
    }
  }
}
