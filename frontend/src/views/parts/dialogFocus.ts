import { stops, takesFocus } from './returnFocus';

/** So many frames later a dialog that opens has taken the focus, if it does. */
const timeout = 10;

/** The open dialog that has the keyboard for itself, while something behind it has the focus; null if there is none. */
export function dialogWithoutFocus(): HTMLElement | null {
  // What it lies over is dimmed: menus and tips leave the page its keys.
  if (document.querySelector('.veil[data-open]') === null) return null;
  const { activeElement, body } = document;
  if (activeElement !== null && activeElement !== body && activeElement.closest('.shell') === null)
    return null;
  return [...document.querySelectorAll<HTMLElement>('[role=dialog][data-open]')].at(-1) ?? null;
}

/**
 * Brings the focus into a dialog that has opened without taking it, and back into one when something behind it has taken the focus.
 * The answer ends it.
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
  // Dialogs come at the end of the page.
  const watch = new MutationObserver(() => look(timeout));
  watch.observe(document.body, { childList: true });
  document.addEventListener('focusin', note);
  // A dialog that is opened again while it fades loses the focus to what gives it back.
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
