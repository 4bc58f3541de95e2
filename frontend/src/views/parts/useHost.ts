import { useCallback, useState } from 'react';

/** The part of the page that a control is in, which what opens from it belongs to, and the ref for that control. */
export function useHost(): [host: HTMLElement | null, ref: (element: HTMLElement | null) => void] {
  const [host, setHost] = useState<HTMLElement | null>(null);
  // The same function each time: another one would be told of the control again, and draw again what it is in.
  const ref = useCallback((element: HTMLElement | null) => {
    if (element !== null) setHost(element.closest('main'));
  }, []);
  return [host, ref];
}
