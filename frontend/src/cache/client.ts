import { focusManager, QueryClient } from '@tanstack/react-query';
import type { CommandError } from '../transport/transport';

// Caches responses of the backend: lists and other state that views request with commands. Streamed data (the events of
// a space) does not go through it.

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: CommandError;
  }
}

/** How long a response stays cached after its last observer is gone. */
const kept = 5 * 60_000;

/**
 * Creates the cache of a window. A response stays fresh until a backend event invalidates it (see invalidate.ts), so
 * nothing is refetched automatically; a query for data that has no events sets its own `staleTime`. Failed commands are
 * not retried: the view shows the error and a retry button.
 */
export function newCache(): QueryClient {
  // The library only listens for hidden pages, but a window next to an editor is never hidden.
  focusManager.setEventListener((heard) => {
    const focused = () => heard();
    window.addEventListener('focus', focused);
    return () => window.removeEventListener('focus', focused);
  });
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        // The backend runs on this machine, so what the browser thinks of the network doesn't matter.
        networkMode: 'always',
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: kept,
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      },
    },
  });
  // Needed for refetching when the window gets the focus.
  queries.mount();
  return queries;
}
