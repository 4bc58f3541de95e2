import { type RefObject, useEffect, useMemo, useRef } from 'react';

/** A scroll that follows a hand's move this soon is that hand's: a wheel runs on for a while. */
const soon = 800;
const keys = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ', 'Tab'];

export interface Hand {
  /** What scrolls now is the user: by wheel, touch, scroll bar or key. */
  scrolls(): boolean;
  /** A button or a finger is down: nothing may move under it. */
  presses(): boolean;
  /** The user goes elsewhere: what scrolls from now on is not what the hand did before. Keys that lead elsewhere may be keys that scroll. */
  leave(): void;
}

/** Watches the user's hand on a scroller. What `released` holds is called when it lets go. */
export function useHand(scroller: RefObject<HTMLElement | null>, released: RefObject<() => void>): Hand {
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
