import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { mayNotify, notify, toldKinds } from '../../state/desktop';
import { inboxOf, type Pending } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { titleOf } from '../parts/spaceTitle';
import { useInFront } from './useSeen';

/** So many spaces have a notification each; more of them at once share one. */
const apart = 3;

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
    const told = toldKinds();
    const bySpace = new Map<string, Pending[]>();
    for (const one of pending) {
      if (before.has(one.key) || !told.includes(one.kind)) continue;
      bySpace.set(one.space.id, [...(bySpace.get(one.space.id) ?? []), one]);
    }
    for (const notice of noticesOf([...bySpace.values()])) {
      notify(weft, notice, (spaceId) => weft.select(spaceId));
    }
  }, [weft, ready, front, spaces]);
}

function noticesOf(news: readonly (readonly Pending[])[]) {
  const each = news.flatMap((list) => {
    const first = list[0];
    if (first === undefined) return [];
    const title = titleOf(first.space);
    const body = list.length === 1 ? bodyOf(first) : t('notify.many', { n: list.length });
    return [{ title, body, spaceId: first.space.id, urgent: first.kind === 'request' }];
  });
  const [first] = each;
  if (first === undefined || each.length <= apart) return each;
  const urgent = each.some((one) => one.urgent);
  return [
    {
      ...first,
      title: t('notify.spaces', { n: each.length }),
      body: each.map(({ title }) => title).join('\n'),
      urgent,
    },
  ];
}

function bodyOf({ kind, title, space }: Pending): string {
  const agent = oneLine(space.agentName);
  if (kind !== 'request') return t(`inbox.${kind}`, { agent });
  return title === '' ? t('inbox.asks', { agent }) : `${t('inbox.asks', { agent })}: ${oneLine(title)}`;
}
