import { type RefObject, useEffect, useState } from 'react';
import { type AnswerKey, answerKeyOf, onOffered } from '../tools/requests';

const changes = ['focusin', 'focusout', 'input', 'scroll', 'resize'];

/** Which key answers the request now. It is found in a frame of its own: to read positions while drawing forces a layout. */
export function useAnswerKey(card: RefObject<HTMLElement | null>): AnswerKey {
  const [key, setKey] = useState<AnswerKey>('plain');
  useEffect(() => {
    let frame = 0;
    const later = () => {
      if (frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        if (card.current !== null) setKey(answerKeyOf(card.current));
      });
    };
    later();
    const end = onOffered(later);
    for (const change of changes) window.addEventListener(change, later, { capture: true, passive: true });
    return () => {
      end();
      cancelAnimationFrame(frame);
      for (const change of changes) window.removeEventListener(change, later, { capture: true });
    };
  }, [card]);
  return key;
}
