import { useEffect } from 'react';
import { t } from '../../i18n';
import { hasRequest } from '../../state/branches';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { titleOf } from '../parts/spaceTitle';

/** Shows the space and whether something needs the user in the title of the page and the window. */
export function useTitle(): void {
  const weft = useWeft();
  const open = useStore(weft.shown, ({ screen, selected }) => (screen === 'space' ? selected : null));
  const title = useStore(weft.server, ({ spaces }) => {
    const space = spaces.find(({ id }) => id === open);
    return space === undefined ? 'Weft' : `${titleOf(space)} · Weft`;
  });
  const waits = useStore(weft.server, ({ spaces }) => spaces.some(hasRequest));
  useEffect(() => {
    document.title = waits ? `◆ ${t('spaceState.waiting')} · ${title}` : title;
    // The native window doesn't use the page's title.
    window.runtime?.WindowSetTitle?.(document.title);
  }, [title, waits]);
}
