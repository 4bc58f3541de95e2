import { focusFirst, focusIsLost, takesFocus } from './returnFocus';

// What closes fades first, and would have the keys until it is gone: what is typed right after Escape, or after something was chosen, would be
// lost, or press a button that goes. So the focus goes back as soon as something begins to close.

const portal = '[data-base-ui-portal]';
const closes = '[data-closed]';
/** At both ends of a dialog: they lead the focus into it again, but there is nothing in one that closes. */
const guard = '[data-base-ui-focus-guard]';

/** What had the focus last in the page, and in each dialog and menu: the latest is at the end. */
const had = new Map<Node, HTMLElement>();

function isClosing(element: Element): boolean {
  if (element.closest(closes) !== null) return true;
  return element.matches(guard) && element.closest(portal)?.querySelector('[data-open]') === null;
}

/** What had the focus in the page, where something that closes gives it back to a part of that: a dialog looks for what Tab would reach. */
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
  // A popup takes the focus once more when what had it in there goes, and Tab leads to its ends.
  if (isClosing(target)) {
    leaveClosing();
    return;
  }
  const layer = target.closest(portal) ?? document;
  had.delete(layer);
  had.set(layer, target);
  for (const other of had.keys()) if (!other.isConnected) had.delete(other);
}

/** Gives the focus back to what had it before, if what has it closes, or nothing has it. */
export function leaveClosing(): void {
  const { activeElement } = document;
  if (!focusIsLost() && (activeElement === null || !isClosing(activeElement))) return;
  // A dialog that is open has the focus for itself.
  const dialog = [...document.querySelectorAll('[role=dialog][data-open], [role=alertdialog][data-open]')].at(
    -1,
  );
  const before = [...had.values()].findLast(
    (one) => takesFocus(one) && !isClosing(one) && (dialog?.contains(one) ?? true),
  );
  if (before !== undefined) before.focus({ preventScroll: true });
  else if (dialog === undefined) focusFirst();
}

/** Gives the focus back when a dialog or a menu that has it begins to close. The answer ends it. */
export function leaveWhatCloses(): () => void {
  const watch = new MutationObserver((changes) => {
    // What had the focus may have gone at once.
    const last = [...had.keys()].at(-1);
    const closing = changes.some(({ target }) => {
      if (!(target instanceof Element) || !target.matches(closes)) return false;
      return target.contains(document.activeElement) || (focusIsLost() && target.closest(portal) === last);
    });
    if (closing) leaveClosing();
  });
  watch.observe(document.body, { subtree: true, attributeFilter: ['data-closed'] });
  document.addEventListener('focusin', note);
  return () => {
    watch.disconnect();
    document.removeEventListener('focusin', note);
    had.clear();
  };
}
