type Find = () => Element | null | undefined;

/**
 * Brings the focus back once what had it is gone: to the first of the places that is still there, else to where the user
 * writes. Whoever has it by then keeps it, and a dialog has it for itself.
 */
export function returnFocus(...places: readonly Find[]): void {
  requestAnimationFrame(() => {
    const active = document.activeElement;
    if (active !== null && active !== document.body) return;
    if (document.querySelector('[role=dialog]') !== null) return;
    for (const find of [...places, () => document.querySelector('.composer-field')]) {
      const element = find();
      if (!(element instanceof HTMLElement) || !element.isConnected) continue;
      element.focus({ preventScroll: true });
      if (document.activeElement === element) return;
    }
  });
}
