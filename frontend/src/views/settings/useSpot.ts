import { type RefObject, useEffect } from 'react';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { afterDialogs } from '../parts/afterDialogs';

const stops = 'button:not(:disabled), input:checked, input:not([type=radio]), select, textarea, a[href]';

/** Shows what is looked for in a section: scrolled to, highlighted, with the focus. It may come later, as lists are read. */
export function useSpot(pane: RefObject<HTMLElement | null>): void {
  const weft = useWeft();
  const at = useStore(weft.shown, (state) => state.settings.at);
  useEffect(() => {
    const root = pane.current;
    if (at === null || root === null) return;
    let spot: HTMLElement | null = null;
    let letGo = () => {};
    const look = () => {
      const found = root.querySelector<HTMLElement>(`[id="${CSS.escape(at.row)}"]`);
      if (found === null) return false;
      spot = found;
      spot.dataset['found'] = 'true';
      spot.scrollIntoView({ block: 'center' });
      letGo = afterDialogs(() => focus(found));
      return true;
    };
    const watch = new MutationObserver(() => {
      if (look()) watch.disconnect();
    });
    if (!look()) watch.observe(root, { childList: true, subtree: true });
    return () => {
      watch.disconnect();
      letGo();
      if (spot !== null) delete spot.dataset['found'];
    };
  }, [at, pane]);
}

/** Focuses what can be used in an element first, or the element. */
function focus(spot: HTMLElement): void {
  const first = spot.matches(stops) ? spot : spot.querySelector<HTMLElement>(stops);
  if (first === null) spot.tabIndex = -1;
  (first ?? spot).focus({ preventScroll: true });
}
