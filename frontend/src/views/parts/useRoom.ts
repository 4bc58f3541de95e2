import { type RefObject, useLayoutEffect, useState } from 'react';

/** Below this width, in pixels, there is room for the list or what it is about. */
const least = 720;

/** Whether an element has room for one of two columns only. */
export function useNarrow(box: RefObject<HTMLElement | null>): boolean {
  const [narrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => setNarrow(element.clientWidth < least);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return narrow;
}
