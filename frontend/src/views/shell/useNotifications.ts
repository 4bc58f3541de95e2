import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { manyWait, mayNotify, notify } from '../../state/desktop';
import { inboxOf, type Pending } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { titleOf } from '../parts/spaceTitle';
import { useInFront } from './useSeen';

/** Tells through the desktop what has come to wait for the user while the window was not in front. */
export function useNotifications(): void {
  const weft = useWeft();
  const front = useInFront();
  const ready = useStore(weft.server, ({ status }) => status === 'ready');
  const spaces = useStore(weft.server, (state) => state.spaces);
  const known = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (!ready) return;
    const pending = inboxOf(spaces);
    const before = known.current;
    known.current = new Set(pending.map(({ key }) => key));
    if (before === null || front || !mayNotify(weft)) return;
    const fresh = pending.filter(({ key }) => !before.has(key));
    const first = fresh[0];
    if (first === undefined) return;
    const notice = {
      title: fresh.length === 1 ? titleOf(first.space) : t('inbox.groups.request'),
      body: fresh.length === 1 ? bodyOf(first) : manyWait(fresh.length),
      spaceId: first.space.id,
    };
    notify(weft, notice, (spaceId) => weft.select(spaceId));
  }, [weft, ready, front, spaces]);
}

function bodyOf({ kind, title, space }: Pending): string {
  const agent = oneLine(space.agentName);
  if (kind !== 'request') return t(`inbox.${kind}`, { agent });
  return title === '' ? t('inbox.asks', { agent }) : `${t('inbox.asks', { agent })}: ${oneLine(title)}`;
}
