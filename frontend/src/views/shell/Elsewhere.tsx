import { useRef } from 'react';
import { t } from '../../i18n';
import type { InboxKind, Pending } from '../../state/inbox';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { LiveRegion, type Speaker } from '../parts/LiveRegion';
import { titleOf } from '../parts/spaceTitle';
import { useNews } from './useNews';

/** Says to screen readers what has come to wait for the user in spaces that are not in view. That of the space itself is said by its conversation. */
export function Elsewhere() {
  const weft = useWeft();
  const region = useRef<Speaker>(null);
  useNews((news) => {
    const { screen, selected } = weft.shown.get();
    for (const one of news)
      if (screen !== 'space' || one.space.id !== selected) region.current?.say(told(one));
  });
  return <LiveRegion ref={region} many={(n) => t('notify.spaces', { n })} />;
}

const how: Readonly<Record<InboxKind, (agent: string) => string>> = {
  request: (agent) => t('inbox.asks', { agent }),
  failed: (agent) => t('inbox.failed', { agent }),
  finished: (agent) => t('inbox.finished', { agent }),
};

function told({ kind, title, wait, space }: Pending): string {
  const what = how[kind](oneLine(space.agentName));
  const about = oneLine(wait?.line || title);
  const text = about === '' ? what : t('labeled', { label: what, text: about });
  return `${t('labeled', { label: titleOf(space), text })}.`;
}
