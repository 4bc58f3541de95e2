import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { answerDelay } from '../tools/requests';

/** Smaller movements are rounding. */
const slack = 2;

interface Place {
  top: number;
  left: number;
  answers: number;
}

/** Tracks how long an element has been still. */
export class Guard {
  private readonly element: HTMLElement;
  /** Unknown at first: measuring something before its layout would force one. */
  private place: Place | null = null;
  private movedAt: number;

  constructor(element: HTMLElement) {
    this.element = element;
    this.movedAt = performance.now();
    element.dataset['armed'] = 'false';
  }

  /** Measures the element and reports whether it has been still for long enough. */
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
    const ready = now - this.movedAt >= answerDelay;
    const armed = String(ready);
    if (this.element.dataset['armed'] !== armed) this.element.dataset['armed'] = armed;
    return ready;
  }

  /** Restarts the delay because there are new options. */
  restart(): void {
    this.movedAt = performance.now();
    this.element.dataset['armed'] = 'false';
  }
}

/** The position of the element in the window, and of its row of answers within it. */
function placeOf(element: HTMLElement): Place {
  const { top, left } = element.getBoundingClientRect();
  const row = element.querySelector('[data-answers]');
  return { top, left, answers: row === null ? 0 : row.getBoundingClientRect().top - top };
}

const watched = new Set<Guard>();
/** The next look, while anything is watched. */
let frame = 0;

function look(): void {
  for (const guard of watched) guard.ready();
  frame = requestAnimationFrame(look);
}

/** Observes an element that can be answered. Without one, no answer is accepted. */
function watch(element: HTMLElement): [Guard, () => void] {
  const guard = new Guard(element);
  if (watched.size === 0) frame = requestAnimationFrame(look);
  watched.add(guard);
  return [
    guard,
    () => {
      watched.delete(guard);
      if (watched.size === 0) cancelAnimationFrame(frame);
    },
  ];
}

export interface Guarded {
  /** Whether an answer is accepted now. */
  ready(): boolean;
  restart(): void;
}

/**
 * Protects a request from input meant for something else, by time, position and key repeat. Calls `early` when an
 * answer came too early, so that the view can stay still for the next one.
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

/** Reports whether a held key may type text: everywhere except for Enter in a single-line field, which submits. */
function isText({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  return (
    target instanceof HTMLInputElement &&
    key !== 'Enter' &&
    !/^(checkbox|radio|button|submit)$/.test(target.type)
  );
}
