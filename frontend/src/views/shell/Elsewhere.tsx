import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { type InboxKind, inboxOf, type Pending } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { LiveRegion, type Speaker } from '../parts/LiveRegion';
import { titleOf } from '../parts/spaceTitle';

/** Says to screen readers what has come to wait for the user in spaces that are not in view. That of the space itself is said by its conversation. */
export function Elsewhere() {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const here = useStore(weft.shown, ({ screen, selected }) => (screen === 'space' ? selected : null));
  const region = useRef<Speaker>(null);
  const known = useRef<Set<string> | null>(null);
  useEffect(() => {
    const pending = inboxOf(spaces);
    const before = known.current;
    known.current = new Set(pending.map(({ key }) => key));
    if (before === null) return;
    for (const one of pending)
      if (!before.has(one.key) && one.space.id !== here) region.current?.say(told(one));
  }, [spaces, here]);
  return <LiveRegion ref={region} join={together} />;
}

/** So many are said one by one. */
const apart = 3;

function together(texts: readonly string[]): string {
  return texts.length > apart ? t('notify.spaces', { n: texts.length }) : texts.join(' ');
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
