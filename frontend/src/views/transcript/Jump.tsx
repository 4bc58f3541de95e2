import { ArrowDown } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { isOverRequest } from '../tools/requests';

/** The way to the end. It never covers a request: one that is below it is where the user has to look. */
export function Jump({ unseen, onJump }: { unseen: boolean; onJump(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    let frame = 0;
    const look = () => {
      const element = button.current;
      if (element !== null) {
        const covers = isOverRequest(element);
        if (covers !== (element.dataset['covers'] !== undefined))
          element.toggleAttribute('data-covers', covers);
      }
      frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <button ref={button} type="button" className="jump" data-unseen={unseen} onClick={onJump}>
      <ArrowDown size={14} aria-hidden />
      {unseen ? t('transcript.newBelow') : t('transcript.toEnd')}
    </button>
  );
}
