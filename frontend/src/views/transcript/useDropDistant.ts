import { type RefObject, useEffect } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { type Row, readAt } from './rows';

/** How long after scrolling a view counts as still, in milliseconds. The list itself waits for 150. */
const still = 300;

/**
 * Drops distant content once the view is still. During scrolling, after rows were removed at the start, the list takes
 * any measured row for one above the reading position, and the view would move by it.
 */
export function useDropDistant(
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
      if (row !== undefined && 'message' in row) session.dropDistant(readAt(row));
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
