import { type RefObject, useEffect } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { type Row, readAt } from './rows';

/** A view that hasn't scrolled for so long rests, in milliseconds. The list waits for 150 until it believes that. */
const still = 300;

/**
 * Has what is far away dropped once the view rests. While it scrolls, the list takes whatever it measures for something above what is read after
 * rows went at the start, and the view would move by it.
 */
export function useRest(
  session: Session,
  list: RefObject<VirtualizerHandle | null>,
  scroller: RefObject<HTMLDivElement | null>,
  rows: RefObject<readonly Row[]>,
): void {
  const heavy = useStore(session.store, (state) => state.heavy);
  useEffect(() => {
    const element = scroller.current;
    if (!heavy || element === null) return;
    const rest = () => {
      const row = rows.current[list.current?.findItemIndex(element.scrollTop) ?? -1];
      if (row !== undefined && 'message' in row) session.rests(readAt(row));
    };
    let timer = setTimeout(rest, still);
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(rest, still);
    };
    element.addEventListener('scroll', later, { passive: true });
    return () => {
      clearTimeout(timer);
      element.removeEventListener('scroll', later);
    };
  }, [heavy, session, list, scroller, rows]);
}
