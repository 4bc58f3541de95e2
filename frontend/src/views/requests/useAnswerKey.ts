import { type RefObject, useEffect, useState } from 'react';
import { type AnswerKey, answerKeyOf, onRequests } from '../tools/requests';

const changes = ['focusin', 'focusout', 'input', 'scroll', 'resize'];

/**
 * Returns the key with which the user can answer the request now. An animation frame determines it, because measuring
 * positions while React renders would force a layout.
 */
export function useAnswerKey(card: RefObject<HTMLElement | null>): AnswerKey {
  const [key, setKey] = useState<AnswerKey>('plain');
  useEffect(() => {
    let frame = 0;
    const later = () => {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        // A menu has its own keys while it is open: below it, the answers keep theirs.
        if (document.activeElement?.closest('[role=menu]') != null) return;
        if (card.current !== null) setKey(answerKeyOf(card.current));
      });
    };
    later();
    const end = onRequests(later);
    for (const change of changes) window.addEventListener(change, later, { capture: true, passive: true });
    return () => {
      end();
      cancelAnimationFrame(frame);
      for (const change of changes) window.removeEventListener(change, later, { capture: true });
    };
  }, [card]);
  return key;
}
