import { t } from '../../i18n';
import { canNotify, type DesktopNotice, notifiedKinds, notify, withoutSecrets } from '../../state/desktop';
import type { InboxItem } from '../../state/inbox';
import { useWeft, type Weft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { titleOf } from '../parts/spaceTitle';
import { useInFront } from './useMarkSeen';
import { useNewItems } from './useNewItems';

/** Up to this many spaces get their own notification; more share one. */
const mostSeparate = 3;

/** Shows desktop notifications for new inbox items while the window is not in front. */
export function useNotifications(): void {
  const weft = useWeft();
  const front = useInFront();
  useNewItems((news) => {
    if (front || !canNotify(weft)) return;
    const told = notifiedKinds();
    const bySpace = new Map<string, InboxItem[]>();
    for (const one of news) {
      if (!told.includes(one.kind)) continue;
      bySpace.set(one.space.id, [...(bySpace.get(one.space.id) ?? []), one]);
    }
    for (const notice of noticesOf([...bySpace.values()])) void show(weft, notice);
  });
}

/** Secrets are removed from the original text, before it becomes one line. If that isn't possible, no text is shown. */
async function show(weft: Weft, notice: DesktopNotice): Promise<void> {
  const texts = await withoutSecrets(weft, [notice.title, notice.body]);
  const [title = '', body = ''] = (texts ?? ['Weft']).map(oneLine);
  notify(weft, { ...notice, title, body });
}

function noticesOf(news: readonly (readonly InboxItem[])[]): DesktopNotice[] {
  const each = news.flatMap((list) => {
    const first = list[0];
    if (first === undefined) return [];
    const title = titleOf(first.space);
    const body = list.length === 1 ? bodyOf(first) : t('notify.many', { n: list.length });
    const requestId = first.kind === 'request' ? first.key : '';
    return [{ title, body, spaceId: first.space.id, requestId, urgent: requestId !== '' }];
  });
  const [first] = each;
  if (first === undefined || each.length <= mostSeparate) return each;
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

function bodyOf({ kind, title, space }: InboxItem): string {
  const agent = space.agentName;
  if (kind !== 'request') return t(`inbox.${kind}`, { agent });
  return title === '' ? t('inbox.asks', { agent }) : `${t('inbox.asks', { agent })}: ${title}`;
}
