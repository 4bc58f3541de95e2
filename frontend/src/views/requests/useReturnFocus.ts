import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { enteredRequest, leaveRequest } from '../tools/requests';

/**
 * Moves the focus on when a request that the user answered disappears: to the next request, else to where the user came
 * from. Returns a function that records that it was answered.
 */
export function useReturnFocus(box: RefObject<HTMLElement | null>): (answered: boolean) => void {
  const answered = useRef(false);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const entered = ({ relatedTarget }: FocusEvent) => enteredRequest(relatedTarget);
    element.addEventListener('focusin', entered);
    return () => element.removeEventListener('focusin', entered);
  }, [box]);
  useLayoutEffect(() => {
    const element = box.current;
    return () => {
      if (answered.current && element !== null) leaveRequest(element);
    };
  }, [box]);
  return (now) => {
    answered.current = now;
  };
}
