import { type RefObject, useEffect } from 'react';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { afterDialogs } from '../parts/afterDialogs';

const stops = 'button:not(:disabled), input:checked, input:not([type=radio]), select, textarea, a[href]';

/**
 * Scrolls to the requested row of a section, highlights and focuses it. The row may appear later, when lists have
 * loaded.
 */
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

/** Focuses the first control in an element, or the element itself. */
function focus(spot: HTMLElement): void {
  const first = spot.matches(stops) ? spot : spot.querySelector<HTMLElement>(stops);
  if (first === null) spot.tabIndex = -1;
  (first ?? spot).focus({ preventScroll: true });
}
