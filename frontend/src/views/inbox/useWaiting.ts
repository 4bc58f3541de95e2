import { useEffect, useMemo, useRef, useState } from 'react';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { type Waiting, waitingWith } from '../../transcript/waiting';

/** How many pages are searched for a request before the user is asked to look for it in the space. */
const mostPages = 4;
/** A request in the list may not have arrived in the events of its space yet. */
const timeout = 2000;

/** Finds what waits under an id in a space: null while searching, "missing" if it is in none of the pages read. */
export function useWaiting(session: Session, id: string): Waiting | 'missing' | null {
  const conversation = useStore(session.store, (state) => state.conversation);
  const ready = useStore(session.store, (state) => state.status === 'ready' && state.loading === null);
  const generation = useStore(session.store, (state) => state.generation);
  const found = useMemo(() => waitingWith(conversation, id), [conversation, id]);
  const [missing, setMissing] = useState(-1);
  const pages = useRef({ generation, read: 0 });
  if (pages.current.generation !== generation) pages.current = { generation, read: 0 };
  // Something found earlier that is gone was answered, and the list will soon say so.
  const seen = useRef('');
  if (found !== null) seen.current = id;
  const { hasBefore } = conversation;
  useEffect(() => {
    if (!ready || found !== null || seen.current === id) return;
    if (hasBefore && pages.current.read < mostPages) {
      pages.current.read++;
      session.loadBefore().catch(() => setMissing(generation));
      return;
    }
    const timer = setTimeout(() => setMissing(generation), timeout);
    return () => clearTimeout(timer);
  }, [session, id, ready, found, hasBefore, generation]);
  if (found !== null) return found;
  return missing === generation ? 'missing' : null;
}
