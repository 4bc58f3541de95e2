import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { rest } from '../tools/requests';

/** Smaller steps than this are rounding. */
const slack = 2;

interface Place {
  top: number;
  left: number;
  answers: number;
}

/** Knows how long an element has was still. */
export class Guard {
  private readonly element: HTMLElement;
  /** Unknown at first: to measure what is not laid out yet would lay out the page for it. */
  private place: Place | null = null;
  private movedAt: number;

  constructor(element: HTMLElement) {
    this.element = element;
    this.movedAt = performance.now();
    element.dataset['armed'] = 'false';
  }

  /** Looks where the element is now, and reports whether it has was still for long enough. */
  ready(): boolean {
    const now = performance.now();
    const next = placeOf(this.element);
    if (this.place === null) this.place = next;
    else if (
      Math.abs(next.top - this.place.top) > slack ||
      Math.abs(next.left - this.place.left) > slack ||
      Math.abs(next.answers - this.place.answers) > slack
    ) {
      this.place = next;
      this.movedAt = now;
    }
    const ready = now - this.movedAt >= rest;
    const armed = String(ready);
    if (this.element.dataset['armed'] !== armed) this.element.dataset['armed'] = armed;
    return ready;
  }

  /** Begins the wait again, for something new that can be chosen. */
  restart(): void {
    this.movedAt = performance.now();
    this.element.dataset['armed'] = 'false';
  }
}

/** Where the element is in the window, and in it the row of its answers. */
function placeOf(element: HTMLElement): Place {
  const { top, left } = element.getBoundingClientRect();
  const row = element.querySelector('[data-answers]');
  return { top, left, answers: row === null ? 0 : row.getBoundingClientRect().top - top };
}

const watched = new Set<Guard>();
let frame = 0;

function look(): void {
  for (const guard of watched) guard.ready();
  frame = watched.size === 0 ? 0 : requestAnimationFrame(look);
}

/** Watches an element that can be answered. Without one, nothing is taken. */
function watch(element: HTMLElement): [Guard, () => void] {
  const guard = new Guard(element);
  watched.add(guard);
  if (frame === 0) frame = requestAnimationFrame(look);
  return [guard, () => watched.delete(guard)];
}

export interface Guarded {
  /** Whether an answer is taken now. */
  ready(): boolean;
  restart(): void;
}

/**
 * Keeps a request from being answered by what was meant for something else: by time, place and repeated keys. early is
 * called when an answer came too early, so that the view can hold still for the next one.
 */
export function useGuard(box: RefObject<HTMLElement | null>, active = true, early?: () => void): Guarded {
  const tooEarly = useRef(early);
  tooEarly.current = early;
  const guard = useRef<Guard | null>(null);
  useEffect(() => {
    const element = box.current;
    if (!active || element === null) return;
    const [made, end] = watch(element);
    guard.current = made;
    const held = (event: KeyboardEvent) => {
      if (event.repeat && /^([1-9aArR]|Enter| )$/.test(event.key) && !isText(event)) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    element.addEventListener('keydown', held, true);
    return () => {
      element.removeEventListener('keydown', held, true);
      end();
      guard.current = null;
      delete element.dataset['armed'];
    };
  }, [box, active]);
  return useMemo(
    () => ({
      ready: () => {
        const ready = guard.current?.ready() ?? false;
        if (!ready) tooEarly.current?.();
        return ready;
      },
      restart: () => guard.current?.restart(),
    }),
    [],
  );
}

/** Whether a held key writes, as it may: everywhere but Enter in a line, which sends. */
function isText({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  return (
    target instanceof HTMLInputElement &&
    key !== 'Enter' &&
    !/^(checkbox|radio|button|submit)$/.test(target.type)
  );
}
