import { useEffect, useRef } from 'react';
import { inboxOf, type Pending } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

/** Calls back with what has come to wait for the user since the last time; what waits at the start is no news. */
export function useNews(tell: (news: readonly Pending[]) => void): void {
  const weft = useWeft();
  const ready = useStore(weft.server, ({ status }) => status === 'ready');
  const spaces = useStore(weft.server, (state) => state.spaces);
  const known = useRef<ReadonlySet<string> | null>(null);
  const latest = useRef(tell);
  latest.current = tell;
  useEffect(() => {
    if (!ready) return;
    const pending = inboxOf(spaces);
    const before = known.current;
    known.current = new Set(pending.map(({ key }) => key));
    if (before === null) return;
    const news = pending.filter(({ key }) => !before.has(key));
    if (news.length > 0) latest.current(news);
  }, [ready, spaces]);
}
