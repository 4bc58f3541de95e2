import { afterDialogs } from './afterDialogs';

type Find = () => Element | null | undefined;

/** Fallbacks for the focus: where the user writes, else the first element of the visible screen. */
const usual: readonly Find[] = [
  ':not(.prompt-editor) > .composer-field',
  'main :is([role=combobox], [role=listbox][tabindex="0"], textarea)',
  'main :is(input, button, a[href])',
].map((places) => () => [...document.querySelectorAll<HTMLElement>(places)].find(takesFocus));

/** Tabbable elements, except the focus guards of dialogs. */
export const stops =
  'a[href], button, input, select, textarea, summary, [tabindex]:not([data-base-ui-focus-guard])';

/** Reports whether an element can take the focus: attached, visible and enabled. */
export function takesFocus(element: HTMLElement): boolean {
  return (
    element.isConnected &&
    !element.matches(':disabled') &&
    element.closest('[inert], [hidden]') === null &&
    // jsdom has no layout.
    (element.checkVisibility?.({ visibilityProperty: true }) ?? true)
  );
}

/**
 * Reports whether nothing has the focus, or something that can't take keys: browsers notice disabled or hidden elements
 * only in the next frame.
 */
export function focusIsLost(): boolean {
  const active = document.activeElement;
  return !(active instanceof HTMLElement) || active === document.body || !takesFocus(active);
}

/** Focuses the first of the candidates that takes the focus, and reports whether one did. */
export function focusFirst(...places: readonly Find[]): boolean {
  return [...places, ...usual].some((find) => {
    const element = find();
    // The body would seem to take it, because it is the active element if no other is.
    if (!(element instanceof HTMLElement) || element === document.body || !takesFocus(element)) return false;
    element.focus({ preventScroll: true });
    return document.activeElement === element;
  });
}

/**
 * Restores the focus once the focused element is gone: to the first candidate that still exists, else to where the user
 * writes. An element focused meanwhile keeps it, and so does a dialog.
 */
export function returnFocus(...places: readonly Find[]): void {
  requestAnimationFrame(() =>
    afterDialogs(() => {
      if (focusIsLost()) focusFirst(...places);
    }),
  );
}
