import { modifiers, pointerEvents, scrollKeys } from '../../keyboard/pointerEvents';

/** How much of the focused element must be visible, in pixels, unless it is lower than twice that. */
const least = 24;
/** For how many frames the focus is scrolled back into view, because an earlier smooth scroll may continue. */
const timeout = 30;
/** Space between the element and the edge of the view. */
const margin = 8;
const textFields = 'input, textarea, select, [contenteditable]';
const presses = `${textFields}, button, summary`;

/** The user has scrolled or navigated since the last focus change. */
let navigated = false;

/** Stops keeping the focus in view, because the user navigates and the focus may stay behind. */
export function releaseFocus(): void {
  navigated = true;
}

/** Reports whether the user has scrolled or navigated since the last focus change. */
export const hasNavigated = (): boolean => navigated;

/** Reports whether an element of a height counts as visible. */
function isSeen(visible: number, height: number): boolean {
  return visible > 0 && visible >= Math.min(least, height / 2);
}

/**
 * Reports whether a box contains a keyboard-focused element that is visible now but would not be after scrolling by
 * some pixels.
 */
export function wouldHideFocus(box: Element, by: number): boolean {
  const { activeElement } = document;
  if (navigated || activeElement === null || activeElement === box || !box.contains(activeElement))
    return false;
  if (!activeElement.matches(':focus-visible')) return false;
  const view = box.getBoundingClientRect();
  const { top, bottom, height } = activeElement.getBoundingClientRect();
  const visible = (up: number) => Math.min(bottom - up, view.bottom) - Math.max(top - up, view.top);
  return isSeen(visible(0), height) && !isSeen(visible(by), height);
}

/**
 * Keeps the keyboard focus in view when an invisible element gets it, and when its surroundings change. What the user
 * scrolls away stays away. Returns a function that stops this.
 */
export function keepFocusInView(): () => void {
  if (typeof IntersectionObserver === 'undefined') return () => {};
  let has: Element | null = null;
  let seen = false;
  let wasSeen = false;
  let byTab = false;
  // Elements that the user scrolled out of view stay there, even if a dialog returns the focus to them.
  const left = new WeakSet<Element>();
  let frame = 0;
  const keep = (target: Element, frames: number) => {
    cancelAnimationFrame(frame);
    if (frames === 0 || navigated || target !== document.activeElement) return;
    if (isHidden(target)) scrollToElement(target);
    frame = requestAnimationFrame(() => keep(target, frames - 1));
  };

  const watch = new IntersectionObserver(
    (entries) => {
      const entry = entries.findLast(({ target }) => target === has);
      if (entry === undefined) return;
      const { target, intersectionRect, boundingClientRect } = entry;
      seen = isSeen(intersectionRect.height, boundingClientRect.height);
      wasSeen ||= seen;
      if (seen) left.delete(target);
      else if (navigated) left.add(target);
      // A field focused when a screen opens is below what is read first; typing brings it into view. The prompt editor
      // was opened on purpose and may be pushed away as its row grows.
      else if (target.matches(textFields) && !wasSeen && !byTab && target.closest('[role=log]') === null)
        return;
      else if (!left.has(target) && target === document.activeElement && target.matches(':focus-visible'))
        keep(target, timeout);
    },
    { threshold: Array.from({ length: 21 }, (_, i) => i / 20) },
  );
  const note = ({ target }: FocusEvent) => {
    if (!(target instanceof Element) || target === has) return;
    watch.disconnect();
    [has, seen, wasSeen, navigated] = [target, false, false, false];
    watch.observe(target);
  };
  const key = (event: KeyboardEvent) => {
    if (!modifiers.test(event.key)) byTab = event.key === 'Tab';
    if (has === null || event.defaultPrevented || modifiers.test(event.key)) return;
    if (scrollKeys.test(event.key) && !has.matches(event.key === ' ' ? presses : textFields))
      navigated = true;
    // Typing at the focus means that the user wants to see it.
    else if (seen) navigated = false;
  };

  document.addEventListener('focusin', note);
  window.addEventListener('keydown', key);
  for (const name of pointerEvents)
    window.addEventListener(name, releaseFocus, { capture: true, passive: true });
  return () => {
    cancelAnimationFrame(frame);
    watch.disconnect();
    document.removeEventListener('focusin', note);
    window.removeEventListener('keydown', key);
    for (const name of pointerEvents) window.removeEventListener(name, releaseFocus, { capture: true });
  };
}

/** The scrollable ancestors of an element. Those with hidden overflow don't count: the user couldn't scroll back. */
function boxesOf(element: Element): Element[] {
  const boxes: Element[] = [];
  for (let box = element.parentElement; box !== null; box = box.parentElement)
    if (box.scrollHeight > box.clientHeight && /auto|scroll/.test(getComputedStyle(box).overflowY))
      boxes.push(box);
  return boxes;
}

function isHidden(element: Element): boolean {
  const { top, bottom, height } = element.getBoundingClientRect();
  return boxesOf(element).some((box) => {
    const view = box.getBoundingClientRect();
    return !isSeen(Math.min(bottom, view.bottom) - Math.max(top, view.top), height);
  });
}

/** Scrolls the ancestors of an element as far as needed. */
function scrollToElement(element: Element): void {
  for (const box of boxesOf(element)) {
    const view = box.getBoundingClientRect();
    const { top, bottom } = element.getBoundingClientRect();
    const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(box);
    const above = top - view.top - (Number.parseFloat(scrollPaddingTop) || margin);
    const below = bottom - view.bottom + (Number.parseFloat(scrollPaddingBottom) || margin);
    // Shows the beginning of an element that is higher than the view.
    if (above < 0) box.scrollTop += above;
    else if (below > 0) box.scrollTop += Math.min(below, above);
  }
}
