import { hands, modifiers, scrollKeys } from '../../keyboard/hands';

/** So much of what has the focus is seen, in pixels, unless it is lower than twice that. */
const least = 24;
/** For so many frames it is brought back: a scroll that was begun before continues meanwhile. */
const timeout = 30;
/** Space between what is brought into view and the edge of the view. */
const margin = 8;
const writes = 'input, textarea, select, [contenteditable]';
const presses = `${writes}, button, summary`;

/** The user has scrolled, or gone to another place, since something got the focus. */
let goes = false;

/** Leaves what has the focus where it is: the user goes to another place, and the focus follows or stays behind. */
export function leaveFocus(): void {
  goes = true;
}

/** Whether the user has scrolled, or gone to another place, since something got the focus. */
export const hasGone = (): boolean => goes;

/** Whether an element of that height is seen where so much of it is in view. */
function isSeen(visible: number, height: number): boolean {
  return visible > 0 && visible >= Math.min(least, height / 2);
}

/**
 * Whether something in a box has the focus of someone who uses keys, and is seen now, but would not be if the box were scrolled
 * further by some pixels.
 */
export function wouldHideFocus(box: Element, by: number): boolean {
  const { activeElement } = document;
  if (goes || activeElement === null || activeElement === box || !box.contains(activeElement)) return false;
  if (!activeElement.matches(':focus-visible')) return false;
  const view = box.getBoundingClientRect();
  const { top, bottom, height } = activeElement.getBoundingClientRect();
  const visible = (up: number) => Math.min(bottom - up, view.bottom) - Math.max(top - up, view.top);
  return isSeen(visible(0), height) && !isSeen(visible(by), height);
}

/**
 * Keeps what has the focus in view for those who use keys, when it gets the focus out of view, and when what is around it grows, comes or goes.
 * What the user scrolls away stays away. The answer ends it.
 */
export function keepFocusInView(): () => void {
  if (typeof IntersectionObserver === 'undefined') return () => {};
  let has: Element | null = null;
  let seen = false;
  let wasSeen = false;
  let byTab = false;
  // What the user has left out of view stays there, also when a dialog gives the focus back to it.
  const left = new WeakSet<Element>();
  let frame = 0;
  const keep = (target: Element, frames: number) => {
    cancelAnimationFrame(frame);
    if (frames === 0 || goes || target !== document.activeElement) return;
    if (isHidden(target)) bring(target);
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
      else if (goes) left.add(target);
      // A field that a screen gives the focus to as it opens is below what is read first; what is typed brings it into view. That of a prompt
      // was asked for, and may be pushed away as its row grows.
      else if (target.matches(writes) && !wasSeen && !byTab && target.closest('[role=log]') === null) return;
      else if (!left.has(target) && target === document.activeElement && target.matches(':focus-visible'))
        keep(target, timeout);
    },
    { threshold: Array.from({ length: 21 }, (_, i) => i / 20) },
  );
  const note = ({ target }: FocusEvent) => {
    if (!(target instanceof Element) || target === has) return;
    watch.disconnect();
    [has, seen, wasSeen, goes] = [target, false, false, false];
    watch.observe(target);
  };
  const key = (event: KeyboardEvent) => {
    if (!modifiers.test(event.key)) byTab = event.key === 'Tab';
    if (has === null || event.defaultPrevented || modifiers.test(event.key)) return;
    if (scrollKeys.test(event.key) && !has.matches(event.key === ' ' ? presses : writes)) goes = true;
    // Whoever continues where the focus is wants to see it.
    else if (seen) goes = false;
  };

  document.addEventListener('focusin', note);
  window.addEventListener('keydown', key);
  for (const name of hands) window.addEventListener(name, leaveFocus, { capture: true, passive: true });
  return () => {
    cancelAnimationFrame(frame);
    watch.disconnect();
    document.removeEventListener('focusin', note);
    window.removeEventListener('keydown', key);
    for (const name of hands) window.removeEventListener(name, leaveFocus, { capture: true });
  };
}

/** The boxes that an element can be scrolled out of. What only hides its overflow is none: no user could scroll it back. */
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

/** Scrolls the boxes that an element is in, as far as needed. */
function bring(element: Element): void {
  for (const box of boxesOf(element)) {
    const view = box.getBoundingClientRect();
    const { top, bottom } = element.getBoundingClientRect();
    const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(box);
    const above = top - view.top - (Number.parseFloat(scrollPaddingTop) || margin);
    const below = bottom - view.bottom + (Number.parseFloat(scrollPaddingBottom) || margin);
    // Of what is higher than the view, the beginning is seen.
    if (above < 0) box.scrollTop += above;
    else if (below > 0) box.scrollTop += Math.min(below, above);
  }
}
