import { type RefObject, useEffect, useMemo, useRef } from 'react';

/** How long after a user's move scrolling is still theirs, because a wheel has inertia. */
const soon = 800;
const keys = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ', 'Tab'];

export interface UserScroll {
  /** Reports whether the user is scrolling, with wheel, touch, scroll bar or keys. */
  scrolls(): boolean;
  /** Reports whether a button or finger is down: nothing may move under it. */
  presses(): boolean;
  /**
   * The user navigated elsewhere: scrolling from now on isn't caused by earlier input. Navigation keys may also be
   * scroll keys.
   */
  leave(): void;
}

/** Observes user input on a scroller. Calls `released` when a press ends. */
export function useUserScroll(
  scroller: RefObject<HTMLElement | null>,
  released: RefObject<() => void>,
): UserScroll {
  const hand = useRef({ down: false, at: Number.NEGATIVE_INFINITY });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const moved = () => {
      hand.current.at = performance.now();
    };
    const key = (event: KeyboardEvent) => {
      if (keys.includes(event.key)) moved();
    };
    const down = () => {
      hand.current.down = true;
    };
    const up = () => {
      if (!hand.current.down) return;
      hand.current.down = false;
      moved();
      released.current();
    };
    element.addEventListener('wheel', moved, { passive: true });
    element.addEventListener('touchmove', moved, { passive: true });
    element.addEventListener('keydown', key);
    element.addEventListener('pointerdown', down);
    window.addEventListener('pointerup', up);
    window.addEventListener('pointercancel', up);
    return () => {
      element.removeEventListener('wheel', moved);
      element.removeEventListener('touchmove', moved);
      element.removeEventListener('keydown', key);
      element.removeEventListener('pointerdown', down);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', up);
    };
  }, [scroller, released]);
  return useMemo(
    () => ({
      scrolls: () => hand.current.down || performance.now() - hand.current.at < soon,
      presses: () => hand.current.down,
      leave: () => {
        hand.current.at = Number.NEGATIVE_INFINITY;
      },
    }),
    [],
  );
}
