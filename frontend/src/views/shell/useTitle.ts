import { useEffect } from 'react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { titleOf } from '../parts/spaceTitle';

/** Names the space in the title of the page, and says there whether something waits. */
export function useTitle(): void {
  const weft = useWeft();
  const open = useStore(weft.shown, ({ screen, selected }) => (screen === 'space' ? selected : null));
  const title = useStore(weft.server, ({ spaces }) => {
    const space = spaces.find(({ id }) => id === open);
    return space === undefined ? 'Weft' : `${titleOf(space)} · Weft`;
  });
  const waits = useStore(weft.server, ({ spaces }) => spaces.some(({ state }) => state === 'waiting'));
  useEffect(() => {
    document.title = waits ? `◆ ${t('spaceState.waiting')} · ${title}` : title;
  }, [title, waits]);
}
