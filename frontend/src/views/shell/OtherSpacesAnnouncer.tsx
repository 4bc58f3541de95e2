import { useRef } from 'react';
import { t } from '../../i18n';
import type { InboxItem, InboxKind } from '../../state/inbox';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { LiveRegion, type Speaker } from '../parts/LiveRegion';
import { titleOf } from '../parts/spaceTitle';
import { useNewItems } from './useNewItems';

/**
 * Announces to screen readers what needs the user in other spaces. The visible space's conversation announces its own.
 */
export function OtherSpacesAnnouncer() {
  const weft = useWeft();
  const region = useRef<Speaker>(null);
  useNewItems((news) => {
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

function told({ kind, title, wait, space }: InboxItem): string {
  const what = how[kind](oneLine(space.agentName));
  const about = oneLine(wait?.line || title);
  const text = about === '' ? what : t('labeled', { label: what, text: about });
  return `${t('labeled', { label: titleOf(space), text })}.`;
}
