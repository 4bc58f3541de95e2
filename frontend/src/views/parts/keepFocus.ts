import { modifiers } from '../../keyboard/pointerEvents';
import { hasNavigated } from './focusInView';
import { openOverlays } from './openOverlays';
import { focusFirst, focusIsLost, stops, takesFocus } from './returnFocus';

/** After this many frames, no view has moved the focus to a better place. */
const timeout = 3;
/** The same if the focus was in a dialog or a menu, which may be replaced by another one. */
const timeoutOver = 20;

const toasts = '[data-sonner-toaster]';
const regions = `${openOverlays}, main, nav, aside, section, form, [role=log], body`;

/**
 * Keeps the keyboard focus near the user's position. When a focused element is removed or disabled by an update,
 * browsers focus nothing and the next key would be lost. The focus moves to the next element in the same part of the
 * window. Returns a function that stops this.
 */
export function keepFocus(): () => void {
  let has: HTMLElement | null = null;
  // A range follows its position through DOM changes, even when the element is removed.
  const mark = document.createRange();
  let within = false;
  // Toasts disappear on their own; the focus then returns to the previous element.
  let atToast = false;
  let byKey = false;
  // Tab on the last control of the page leads to the browser's controls.
  let byTab = false;
  let frame = 0;

  const note = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement) || target.parentNode === null) return;
    atToast = target.closest(toasts) !== null;
    if (atToast) return;
    has = target;
    within = target.closest(openOverlays) !== null;
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
      else if (has === null || !takesFocus(has) || !focusAt(has)) focusNear(mark);
    });
  };
  const watch = new MutationObserver((changes) => {
    if (frame !== 0 || !byKey || has === null) return;
    // Most mutations are streamed text while the focus is elsewhere.
    if (document.activeElement === has && !changes.some(({ type }) => type === 'attributes')) return;
    wait(within ? timeoutOver : timeout);
  });

  // Moving an element in the DOM also blurs it.
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

/**
 * Focuses the next element after a position, else the one before it, in the innermost region with something in view.
 */
function focusNear({ startContainer, startOffset }: Range): void {
  const dialog = [...document.querySelectorAll(openOverlays)].at(-1) ?? null;
  const around = startContainer instanceof Element ? startContainer : startContainer.parentElement;
  let region = around?.closest(regions);
  for (; region != null && region !== document.body; region = region.parentElement?.closest(regions)) {
    if (dialog !== null && !dialog.contains(region)) break;
    // If the user scrolled in a conversation or went to its end, they read there. An element that happens to be in view
    // was not chosen, and would be kept there.
    if (region.matches('[role=log]') && hasNavigated() && focusAt(region)) return;
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
  // The conversation scrolls behind what is above and below it.
  const view = element.closest('[role=log]')?.getBoundingClientRect();
  const [first, last] = [view?.top ?? 0, view?.bottom ?? window.innerHeight];
  return bottom >= first && top <= last && right >= 0 && left <= window.innerWidth;
}
