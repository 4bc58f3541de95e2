import { ArrowDown } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { areOffered, isOverRequest, onOffered } from '../tools/requests';

/** The way to the end. It never covers a request: one that is below it is where the user has to look. */
export function Jump({ unseen, onJump }: { unseen: boolean; onJump(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    let frame = 0;
    const look = () => {
      const element = button.current;
      element?.toggleAttribute('data-covers', isOverRequest(element));
      // A page without a request is left at rest.
      frame = areOffered() ? requestAnimationFrame(look) : 0;
    };
    look();
    const end = onOffered(() => {
      if (frame === 0) frame = requestAnimationFrame(look);
    });
    return () => {
      end();
      cancelAnimationFrame(frame);
    };
  }, []);
  return (
    <button ref={button} type="button" className="jump" data-unseen={unseen} onClick={onJump}>
      <ArrowDown size={14} aria-hidden />
      {unseen ? t('transcript.newBelow') : t('transcript.toEnd')}
    </button>
  );
}
