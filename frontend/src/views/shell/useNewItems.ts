import { useEffect, useRef } from 'react';
import { type InboxItem, inboxOf } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

/** Calls back with new inbox items since the last call; existing ones at the start don't count. */
export function useNewItems(tell: (news: readonly InboxItem[]) => void): void {
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
