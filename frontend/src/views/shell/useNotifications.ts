import { t } from '../../i18n';
import { type DesktopNotice, mayNotify, notify, toldKinds, withoutSecrets } from '../../state/desktop';
import type { Pending } from '../../state/inbox';
import { useWeft, type Weft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { titleOf } from '../parts/spaceTitle';
import { useNews } from './useNews';
import { useInFront } from './useSeen';

/** So many spaces have a notification each; more of them at once share one. */
const apart = 3;

/** Tells through the desktop what has come to wait for the user while the window was not in front. */
export function useNotifications(): void {
  const weft = useWeft();
  const front = useInFront();
  useNews((news) => {
    if (front || !mayNotify(weft)) return;
    const told = toldKinds();
    const bySpace = new Map<string, Pending[]>();
    for (const one of news) {
      if (!told.includes(one.kind)) continue;
      bySpace.set(one.space.id, [...(bySpace.get(one.space.id) ?? []), one]);
    }
    for (const notice of noticesOf([...bySpace.values()])) void show(weft, notice);
  });
}

/** Secrets are looked for in what was written, before it becomes one line. Where they can't be, it says nothing. */
async function show(weft: Weft, notice: DesktopNotice): Promise<void> {
  const texts = await withoutSecrets(weft, [notice.title, notice.body]);
  const [title = '', body = ''] = (texts ?? ['Weft']).map(oneLine);
  notify(weft, { ...notice, title, body });
}

function noticesOf(news: readonly (readonly Pending[])[]): DesktopNotice[] {
  const each = news.flatMap((list) => {
    const first = list[0];
    if (first === undefined) return [];
    const title = titleOf(first.space);
    const body = list.length === 1 ? bodyOf(first) : t('notify.many', { n: list.length });
    const requestId = first.kind === 'request' ? first.key : '';
    return [{ title, body, spaceId: first.space.id, requestId, urgent: requestId !== '' }];
  });
  const [first] = each;
  if (first === undefined || each.length <= apart) return each;
  const urgent = each.some((one) => one.urgent);
  return [
    {
      ...first,
      title: t('notify.spaces', { n: each.length }),
      body: each.map(({ title }) => title).join(', '),
      urgent,
    },
  ];
}

function bodyOf({ kind, title, space }: Pending): string {
  const agent = space.agentName;
  if (kind !== 'request') return t(`inbox.${kind}`, { agent });
  return title === '' ? t('inbox.asks', { agent }) : `${t('inbox.asks', { agent })}: ${title}`;
}
