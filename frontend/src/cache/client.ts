import { focusManager, QueryClient } from '@tanstack/react-query';
import type { CommandError } from '../transport/transport';

// The cache of what the backend answered: lists and other state that views read by a command. What streams (the events
// of a space) does not go through it.

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: CommandError;
  }
}

/** How long an answer that nobody looks at is kept. */
const kept = 5 * 60_000;

/**
 * The cache of a window. An answer holds until an event of the backend says otherwise (see invalidate.ts), so nothing is
 * read again by itself; a query about what has no events sets a `staleTime` of its own. A command that failed is not
 * repeated: its view says why, and has a button.
 */
export function newCache(): QueryClient {
  // The library only hears of a page that was hidden. A window beside an editor never is.
  focusManager.setEventListener((heard) => {
    const focused = () => heard();
    window.addEventListener('focus', focused);
    return () => window.removeEventListener('focus', focused);
  });
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        // The backend is on this machine, whatever the browser thinks of the network.
        networkMode: 'always',
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: kept,
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      },
    },
  });
  // Without it nothing is read again when the window has the focus.
  queries.mount();
  return queries;
}
