import { isTyping } from '../../keyboard/actions';
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
  const open = document.querySelectorAll<HTMLElement>(':is([role=dialog], [role=alertdialog])[data-open]');
  return [...open].at(-1) ?? null;
}

/**
 * Moves the focus into a dialog that opened without taking it, and back if something behind it took the focus. Until
 * then, the dialog gets the keys: nothing behind it does. Returns a function that stops this.
 */
export function keepFocusInDialogs(): () => void {
  let frame = 0;
  const look = (frames: number) => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      if (frames > 0) look(frames - 1);
      else {
        const dialog = dialogWithoutFocus();
        if (dialog !== null) firstStop(dialog).focus();
      }
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
  window.addEventListener('keydown', handOver, { capture: true });
  return () => {
    cancelAnimationFrame(frame);
    watch.disconnect();
    document.removeEventListener('focusin', note);
    document.removeEventListener('focusout', note);
    window.removeEventListener('keydown', handOver, { capture: true });
  };
}

/** Hands a key that was pressed behind a dialog without the focus to that dialog. */
function handOver(event: KeyboardEvent): void {
  const dialog = dialogWithoutFocus();
  if (event.isComposing || dialog === null) return;
  // The copy below is for the dialog already.
  if (event.target instanceof Node && dialog.contains(event.target)) return;
  event.stopImmediatePropagation();
  const first = firstStop(dialog);
  const copy = new KeyboardEvent(event.type, event);
  // The browser inserts what is typed into the focused field. Other elements get no key: a button might do something
  // that the user doesn't want.
  if (isTyping(first)) {
    first.focus();
    if (!first.dispatchEvent(copy)) event.preventDefault();
    return;
  }
  dialog.dispatchEvent(copy);
  if (!event.ctrlKey && !event.metaKey && !event.altKey) event.preventDefault();
}

function firstStop(dialog: HTMLElement): HTMLElement {
  const found = [...dialog.querySelectorAll<HTMLElement>(stops)];
  return found.find((one) => one.tabIndex >= 0 && takesFocus(one)) ?? dialog;
}
