import { afterDialogs } from './afterDialogs';

type Find = () => Element | null | undefined;

/** Where the focus goes when there is no better place: where the user writes, else what is first on the screen that is shown. */
const usual: readonly Find[] = [
  ':not(.prompt-editor) > .composer-field',
  'main :is([role=combobox], [role=listbox][tabindex="0"], textarea)',
  'main :is(input, button, a[href])',
].map((places) => () => [...document.querySelectorAll<HTMLElement>(places)].find(takesFocus));

/** What may be a stop of Tab. What is at the ends of a dialog only leads into it. */
export const stops =
  'a[href], button, input, select, textarea, summary, [tabindex]:not([data-base-ui-focus-guard])';

/** Whether an element can have the focus: it is there, drawn and not disabled. */
export function takesFocus(element: HTMLElement): boolean {
  return (
    element.isConnected &&
    !element.matches(':disabled') &&
    element.closest('[inert], [hidden]') === null &&
    // jsdom has no layout.
    (element.checkVisibility?.({ visibilityProperty: true }) ?? true)
  );
}

/** Whether nothing has the focus, or something that takes no keys: browsers notice with the next frame what was disabled or hidden. */
export function focusIsLost(): boolean {
  const active = document.activeElement;
  return !(active instanceof HTMLElement) || active === document.body || !takesFocus(active);
}

/** Puts the focus on the first of the places that takes it, and reports whether one did. */
export function focusFirst(...places: readonly Find[]): boolean {
  return [...places, ...usual].some((find) => {
    const element = find();
    // The body seems to take the focus: it has it where nothing else has.
    if (!(element instanceof HTMLElement) || element === document.body || !takesFocus(element)) return false;
    element.focus({ preventScroll: true });
    return document.activeElement === element;
  });
}

/**
 * Brings the focus back once what had it is gone: to the first of the places that is still there, else to where the user
 * writes. Whoever has it by then keeps it, and a dialog has it for itself.
 */
export function returnFocus(...places: readonly Find[]): void {
  requestAnimationFrame(() =>
    afterDialogs(() => {
      if (focusIsLost()) focusFirst(...places);
    }),
  );
}
