import { type RefObject, useLayoutEffect, useState } from 'react';

/**
 * Returns how many of the widths (in pixels, ascending) fit into an element; all of them before it is mounted. `widths`
 * must not change.
 */
export function useFittingWidths(
  box: RefObject<HTMLElement | null>,
  widths: readonly number[],
  within = '',
): number {
  const [room, setRoom] = useState(widths.length);
  useLayoutEffect(() => {
    const element = within === '' ? box.current : (box.current?.closest<HTMLElement>(within) ?? null);
    if (element === null) return;
    const look = () => setRoom(widths.filter((width) => element.clientWidth >= width).length);
    look();
    if (typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, widths, within]);
  return room;
}
