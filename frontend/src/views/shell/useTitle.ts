import { useEffect } from 'react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { titleOf } from '../parts/spaceTitle';

/** Names the space in the title of the page, and says there whether something waits. */
export function useTitle(): void {
  const weft = useWeft();
  const title = useStore(weft.store, ({ screen, selected, spaces }) => {
    const space = screen === 'space' ? spaces.find(({ id }) => id === selected) : undefined;
    return space === undefined ? 'Weft' : `${titleOf(space)} · Weft`;
  });
  const waits = useStore(weft.store, ({ spaces }) => spaces.some(({ state }) => state === 'waiting'));
  useEffect(() => {
    document.title = waits ? `◆ ${t('spaceState.waiting')} · ${title}` : title;
  }, [title, waits]);
}
