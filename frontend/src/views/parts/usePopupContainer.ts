import { useCallback, useState } from 'react';

/**
 * Returns the part of the page that contains a control, in which its popups are rendered, and the ref for the control.
 */
export function usePopupContainer(): [host: HTMLElement | null, ref: (element: HTMLElement | null) => void] {
  const [host, setHost] = useState<HTMLElement | null>(null);
  // Stable: with a new function React would detach and attach the ref again, and re-render the container.
  const ref = useCallback((element: HTMLElement | null) => {
    if (element !== null) setHost(element.closest('main'));
  }, []);
  return [host, ref];
}
