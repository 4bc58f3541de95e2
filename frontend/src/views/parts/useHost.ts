import { useCallback, useState } from 'react';

/** The part of the page that a control is in, which what opens from it belongs to, and the ref for that control. */
export function useHost(): [host: HTMLElement | null, ref: (element: HTMLElement | null) => void] {
  const [host, setHost] = useState<HTMLElement | null>(null);
  // The same function each time: React gives a new one the control again, and what it is in would be drawn once more.
  const ref = useCallback((element: HTMLElement | null) => {
    if (element !== null) setHost(element.closest('main'));
  }, []);
  return [host, ref];
}
