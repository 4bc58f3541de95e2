import { type RefObject, useEffect, useRef } from 'react';
import { entryOf, hasFocus, isInView, isWanted, registerRequest } from '../tools/requests';
import { useReading } from '../transcript/reading';

/**
 * Registers a request while it can be answered, and moves the focus to it if the user navigated to it. Doesn't take the
 * focus otherwise.
 */
export function useRegisteredRequest(
  box: RefObject<HTMLElement | null>,
  {
    ids,
    active = true,
    choose,
    count = 0,
    lasts,
  }: {
    /** Its ids. */
    ids: readonly string[];
    active?: boolean;
    choose?: ((n: number) => void) | undefined;
    /** The number of its options. */
    count?: number;
    /** Reports whether the nth option also answers later requests. */
    lasts?: (n: number) => boolean;
  },
): void {
  const { session, hold } = useReading();
  const latest = useRef({ choose, hold, ids, lasts });
  latest.current = { choose, hold, ids, lasts };
  const keys = choose !== undefined;
  useEffect(() => {
    const element = box.current;
    if (!active || element === null) return;
    const offer = { element, ids: latest.current.ids, reveal: () => latest.current.hold() };
    if (!keys) return registerRequest(offer);
    return registerRequest({
      ...offer,
      count,
      choose: (n) => latest.current.choose?.(n),
      lasts: (n) => latest.current.lasts?.(n) === true,
    });
  }, [box, active, keys, count]);
  useEffect(() => {
    if (!active) return;
    // A row of the virtual list can't take the focus before it has been measured.
    let frames = 10;
    let frame = 0;
    const attempt = () => {
      if (box.current === null || !isWanted(session.spaceId, latest.current.ids)) return;
      const entry = entryOf(box.current);
      entry.focus({ preventScroll: true });
      if (document.activeElement === entry) {
        hasFocus();
        if (!isInView(box.current)) latest.current.hold();
        entry.scrollIntoView({ block: 'nearest' });
      } else if (frames-- > 0) frame = requestAnimationFrame(attempt);
    };
    attempt();
    return () => cancelAnimationFrame(frame);
  }, [active, session, box]);
}
