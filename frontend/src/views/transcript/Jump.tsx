import { ArrowDown } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { hasRequests, isOverRequest, onRequests } from '../tools/requests';

/** The button to the end. It never covers a request: the user may have to look there. */
export function Jump({ unseen, onJump }: { unseen: boolean; onJump(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    let frame = 0;
    const look = () => {
      const element = button.current;
      element?.toggleAttribute('data-covers', isOverRequest(element));
      // Nothing to check on a page without requests.
      frame = hasRequests() ? requestAnimationFrame(look) : 0;
    };
    look();
    const end = onRequests(() => {
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
