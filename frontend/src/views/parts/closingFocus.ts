import { focusFirst, focusIsLost, takesFocus } from './returnFocus';

// Closing dialogs and menus fade out first, and would keep the focus until they are gone: keys typed right after Escape
// or after a selection would be lost, or press a disappearing button. So the focus returns as soon as something starts
// to close.

const portal = '[data-base-ui-portal]';
const closes = '[data-closed]';
/** Focus guards at both ends of a dialog move the focus back into it, but are not closing themselves. */
const guard = '[data-base-ui-focus-guard]';

/** The last focused element of the page and of each dialog and menu, the latest at the end. */
const had = new Map<Node, HTMLElement>();

function isClosing(element: Element): boolean {
  if (element.closest(closes) !== null) return true;
  return element.matches(guard) && element.closest(portal)?.querySelector('[data-open]') === null;
}

/**
 * Returns the element that had the focus in the page if a closing popup returns it to a part of it: a dialog looks for
 * tabbable elements.
 */
function wholeOf(target: HTMLElement): HTMLElement | undefined {
  const last = [...had.keys()].at(-1);
  const isOpen = last instanceof Element && last.isConnected && last.querySelector('[data-open]') !== null;
  if (last === undefined || last === document || isOpen) return undefined;
  const before = had.get(document);
  const part = before !== undefined && before !== target && before.contains(target);
  return part && takesFocus(before) ? before : undefined;
}

function note({ target }: FocusEvent): void {
  if (!(target instanceof HTMLElement)) return;
  const whole = wholeOf(target);
  if (whole !== undefined) {
    whole.focus({ preventScroll: true });
    return;
  }
  // A popup takes the focus once more when the focused element in it disappears, and Tab reaches its guards.
  if (isClosing(target)) {
    focusBehindClosing();
    return;
  }
  const layer = target.closest(portal) ?? document;
  had.delete(layer);
  had.set(layer, target);
  for (const other of had.keys()) if (!other.isConnected) had.delete(other);
}

/** Returns the focus to the previous element if the focused one is closing, or nothing has the focus. */
export function focusBehindClosing(): void {
  const { activeElement } = document;
  if (!focusIsLost() && (activeElement === null || !isClosing(activeElement))) return;
  // An open dialog keeps the focus.
  const dialog = [...document.querySelectorAll('[role=dialog][data-open], [role=alertdialog][data-open]')].at(
    -1,
  );
  const before = [...had.values()].findLast(
    (one) => takesFocus(one) && !isClosing(one) && (dialog?.contains(one) ?? true),
  );
  if (before !== undefined) before.focus({ preventScroll: true });
  else if (dialog === undefined) focusFirst();
}

/** Returns the focus as soon as a focused dialog or menu starts to close. Returns a function that stops this. */
export function returnFocusOnClose(): () => void {
  const watch = new MutationObserver((changes) => {
    // The focused element may have been removed at once.
    const last = [...had.keys()].at(-1);
    const closing = changes.some(({ target }) => {
      if (!(target instanceof Element) || !target.matches(closes)) return false;
      return target.contains(document.activeElement) || (focusIsLost() && target.closest(portal) === last);
    });
    if (closing) focusBehindClosing();
  });
  watch.observe(document.body, { subtree: true, attributeFilter: ['data-closed'] });
  document.addEventListener('focusin', note);
  return () => {
    watch.disconnect();
    document.removeEventListener('focusin', note);
    had.clear();
  };
}
