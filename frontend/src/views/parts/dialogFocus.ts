import { stops, takesFocus } from './returnFocus';

/** After this many frames, an opening dialog has taken the focus if it ever does. */
const timeout = 10;

/** Returns an open modal dialog while something behind it has the focus; null if there is none. */
export function dialogWithoutFocus(): HTMLElement | null {
  // Only modal dialogs dim the page: menus and tooltips leave it its keys.
  if (document.querySelector('.backdrop[data-open]') === null) return null;
  const { activeElement, body } = document;
  if (activeElement !== null && activeElement !== body && activeElement.closest('.shell') === null)
    return null;
  return [...document.querySelectorAll<HTMLElement>('[role=dialog][data-open]')].at(-1) ?? null;
}

/**
 * Moves the focus into a dialog that opened without taking it, and back if something behind it took the focus. Returns
 * a function that stops this.
 */
export function keepFocusInDialogs(): () => void {
  let frame = 0;
  const look = (frames: number) => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      if (frames > 0) look(frames - 1);
      else focusWithin(dialogWithoutFocus());
    });
  };
  const note = () => {
    if (dialogWithoutFocus() !== null) look(1);
  };
  // Dialogs are added at the end of the page.
  const watch = new MutationObserver(() => look(timeout));
  watch.observe(document.body, { childList: true });
  document.addEventListener('focusin', note);
  // A dialog that is reopened while it fades loses the focus when that is returned.
  document.addEventListener('focusout', note);
  return () => {
    cancelAnimationFrame(frame);
    watch.disconnect();
    document.removeEventListener('focusin', note);
    document.removeEventListener('focusout', note);
  };
}

function focusWithin(dialog: HTMLElement | null): void {
  const found = [...(dialog?.querySelectorAll<HTMLElement>(stops) ?? [])];
  (found.find((one) => one.tabIndex >= 0 && takesFocus(one)) ?? dialog)?.focus();
}
