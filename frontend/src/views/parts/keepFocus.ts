import { modifiers } from '../../keyboard/hands';
import { hasGone } from './focusInView';
import { over } from './over';
import { focusFirst, focusIsLost, stops, takesFocus } from './returnFocus';

/** So many frames later nobody else has brought the focus back: some views know a better place. */
const timeout = 3;
/** The same, where what had the focus was in a dialog or a menu, which may be replaced by another one. */
const timeoutOver = 20;

const toasts = '[data-sonner-toaster]';
const regions = `${over}, main, nav, aside, section, form, [role=log], body`;

/**
 * Keeps the focus where the user is, for those who use keys. What has it may go with an answer of the backend, or be disabled; then the browser
 * leaves the focus nowhere, and the next key would be for nothing. It goes to what comes next in the same part of the window. The answer ends it.
 */
export function keepFocus(): () => void {
  let has: HTMLElement | null = null;
  // Follows the place as what is around it changes, also when the element is gone.
  const mark = document.createRange();
  let within = false;
  // Toasts go by themselves; the focus then goes back to what had it before.
  let atToast = false;
  let byKey = false;
  // From the last control of the page Tab leads to those of the browser.
  let byTab = false;
  let frame = 0;

  const note = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement) || target.parentNode === null) return;
    atToast = target.closest(toasts) !== null;
    if (atToast) return;
    has = target;
    within = target.closest(over) !== null;
    mark.setStartBefore(target);
    mark.collapse(true);
  };
  const key = (event: KeyboardEvent) => {
    if (modifiers.test(event.key)) return;
    byKey = true;
    byTab = event.key === 'Tab';
  };
  const point = () => {
    byKey = false;
  };
  const isLost = () => byKey && has !== null && (atToast || !byTab || !takesFocus(has)) && focusIsLost();
  const wait = (frames: number) => {
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (!isLost()) return;
      if (frames > 0) wait(frames - 1);
      else if (has === null || !takesFocus(has) || !focusAt(has)) bring(mark);
    });
  };
  const watch = new MutationObserver((changes) => {
    if (frame !== 0 || !byKey || has === null) return;
    // Most changes are text that streams in, while the focus is elsewhere.
    if (document.activeElement === has && !changes.some(({ type }) => type === 'attributes')) return;
    wait(within ? timeoutOver : timeout);
  });

  // What is moved within the page loses the focus, too.
  const lose = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget === null && frame === 0 && byKey && has !== null) wait(within ? timeoutOver : timeout);
  };

  document.addEventListener('focusin', note);
  document.addEventListener('focusout', lose);
  window.addEventListener('keydown', key, { capture: true });
  window.addEventListener('pointerdown', point, { capture: true });
  watch.observe(document.body, {
    ...{ subtree: true, childList: true },
    attributeFilter: ['disabled', 'hidden', 'inert', 'data-sidebar', 'data-drawer'],
  });
  return () => {
    cancelAnimationFrame(frame);
    watch.disconnect();
    document.removeEventListener('focusin', note);
    document.removeEventListener('focusout', lose);
    window.removeEventListener('keydown', key, { capture: true });
    window.removeEventListener('pointerdown', point, { capture: true });
  };
}

/** Puts the focus on what comes next after a place, else on what is before it, in the innermost part of the window that has something in view. */
function bring({ startContainer, startOffset }: Range): void {
  const dialog = [...document.querySelectorAll(over)].at(-1) ?? null;
  const around = startContainer instanceof Element ? startContainer : startContainer.parentElement;
  let region = around?.closest(regions);
  for (; region != null && region !== document.body; region = region.parentElement?.closest(regions)) {
    if (dialog !== null && !dialog.contains(region)) break;
    // Who has scrolled on in a conversation, or gone to its end, reads there. What happens to be in view was not chosen, and would be kept there.
    if (region.matches('[role=log]') && hasGone() && focusAt(region)) return;
    const found = [...region.querySelectorAll<HTMLElement>(stops)].filter(
      (one) => one.tabIndex >= 0 && takesFocus(one) && isInView(one),
    );
    const after = found.find((one) => isAfter(one, startContainer, startOffset));
    if (focusAt(after ?? found.at(-1)) || focusAt(region)) return;
  }
  if (dialog === null || !focusAt(dialog)) focusFirst();
}

function focusAt(element: Element | undefined): boolean {
  if (!(element instanceof HTMLElement)) return false;
  element.focus({ preventScroll: true });
  return document.activeElement === element;
}

function isAfter(element: Element, container: Node, offset: number): boolean {
  const place = document.createRange();
  place.selectNode(element);
  return place.comparePoint(container, offset) <= 0;
}

function isInView(element: Element): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  // The conversation is scrolled behind what is above and below it.
  const view = element.closest('[role=log]')?.getBoundingClientRect();
  const [first, last] = [view?.top ?? 0, view?.bottom ?? window.innerHeight];
  return bottom >= first && top <= last && right >= 0 && left <= window.innerWidth;
}
