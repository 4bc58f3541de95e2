import { type RefObject, useEffect, useRef } from 'react';

/** Returns the ref of an element that scrolls into view whenever it shows something else, unless that is nothing. */
export function useIntoView(shown: unknown): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shown) box.current?.scrollIntoView?.({ block: 'nearest' });
  }, [shown]);
  return box;
}
