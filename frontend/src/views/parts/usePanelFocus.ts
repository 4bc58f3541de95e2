import { useEffect } from 'react';
import { useWeft } from '../../state/weft';
import { afterDialogs } from './afterDialogs';

/**
 * Focuses a panel that was just opened. A panel that stays open when switching spaces leaves the focus in the composer,
 * and an overlay opened meanwhile keeps it.
 */
export function usePanelFocus(target: () => HTMLElement | null): void {
  const weft = useWeft();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, on mount
  useEffect(
    () => (weft.takePanelOpened() ? afterDialogs(() => target()?.focus({ preventScroll: true })) : undefined),
    [],
  );
}
