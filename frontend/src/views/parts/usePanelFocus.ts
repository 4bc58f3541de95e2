import { useEffect } from 'react';
import { useWeft } from '../../state/weft';
import { afterDialogs } from './afterDialogs';

/**
 * Gives the focus to a panel that was just opened. One that stays open beside another space leaves the focus where the user writes, and what
 * the user has opened over it meanwhile has it first.
 */
export function usePanelFocus(target: () => HTMLElement | null): void {
  const weft = useWeft();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the panel is there
  useEffect(
    () => (weft.entersPanel() ? afterDialogs(() => target()?.focus({ preventScroll: true })) : undefined),
    [],
  );
}
