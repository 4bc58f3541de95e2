import { useEffect, useMemo, useRef, useState } from 'react';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { type Waiting, waitingWith } from '../../transcript/waiting';

/** Pages that are read to find a request before the user is asked to look for it in the space. */
const mostPages = 4;
/** What the list knows of already may still be on its way in the space's own events. */
const timeout = 2000;

/**
 * What waits with an id in a space: null while it is looked for, "missing" where it is in no page that was read.
 */
export function useWaiting(session: Session, id: string): Waiting | 'missing' | null {
  const conversation = useStore(session.store, (state) => state.conversation);
  const ready = useStore(session.store, (state) => state.status === 'ready' && state.loading === null);
  const generation = useStore(session.store, (state) => state.generation);
  const found = useMemo(() => waitingWith(conversation, id), [conversation, id]);
  const [missing, setMissing] = useState(-1);
  const pages = useRef({ generation, read: 0 });
  if (pages.current.generation !== generation) pages.current = { generation, read: 0 };
  // What was found and is there no more has been answered: the list is about to say so.
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
