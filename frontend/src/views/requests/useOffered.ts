import { type RefObject, useEffect, useRef } from 'react';
import { entryOf, hasFocus, isInView, isWanted, offerRequest } from '../tools/requests';
import { useReading } from '../transcript/reading';

/**
 * Makes a request known while it can be answered, and leads the user into it if they came for it. It takes the focus
 * in no other case.
 */
export function useOffered(
  box: RefObject<HTMLElement | null>,
  {
    ids,
    active = true,
    choose,
    count = 0,
  }: {
    /** What it is known by. */
    ids: readonly string[];
    active?: boolean;
    choose?: ((n: number) => void) | undefined;
    /** How many options it has. */
    count?: number;
  },
): void {
  const { session, hold } = useReading();
  const latest = useRef({ choose, hold, ids });
  latest.current = { choose, hold, ids };
  const keys = choose !== undefined;
  useEffect(() => {
    const element = box.current;
    if (!active || element === null) return;
    const offer = { element, ids: latest.current.ids, reveal: () => latest.current.hold() };
    return offerRequest(keys ? { ...offer, count, choose: (n) => latest.current.choose?.(n) } : offer);
  }, [box, active, keys, count]);
  useEffect(() => {
    if (!active) return;
    // A row of the virtual list cannot have the focus before it has been measured.
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
