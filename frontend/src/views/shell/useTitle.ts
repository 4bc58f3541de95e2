import { useEffect } from 'react';
import { t } from '../../i18n';
import { asks } from '../../state/branches';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { titleOf } from '../parts/spaceTitle';

/** Names the space in the title of the page and of the window, and says there whether something waits. */
export function useTitle(): void {
  const weft = useWeft();
  const open = useStore(weft.shown, ({ screen, selected }) => (screen === 'space' ? selected : null));
  const title = useStore(weft.server, ({ spaces }) => {
    const space = spaces.find(({ id }) => id === open);
    return space === undefined ? 'Weft' : `${titleOf(space)} · Weft`;
  });
  const waits = useStore(weft.server, ({ spaces }) => spaces.some(asks));
  useEffect(() => {
    document.title = waits ? `◆ ${t('spaceState.waiting')} · ${title}` : title;
    // A window doesn't take it from its page.
    window.runtime?.WindowSetTitle?.(document.title);
  }, [title, waits]);
}
