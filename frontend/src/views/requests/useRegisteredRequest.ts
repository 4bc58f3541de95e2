import { type RefObject, useEffect, useRef } from 'react';
import { focusRow } from '../parts/focusRow';
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
    return focusRow(
      () => {
        const wanted = isWanted(session.spaceId, latest.current.ids);
        return box.current !== null && wanted ? entryOf(box.current) : null;
      },
      (entry) => {
        hasFocus();
        if (box.current !== null && !isInView(box.current)) latest.current.hold();
        entry.scrollIntoView({ block: 'nearest' });
      },
    );
  }, [active, session, box]);
}
