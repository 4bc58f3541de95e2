import { useEffect } from 'react';
import { actionFor, runAction } from '../../keyboard/actions';
import { openOverlays } from '../parts/openOverlays';
import { answerByKey, inRequest } from '../tools/requests';

const choices = '[data-base-ui-portal] [data-open]';

function inThread(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.transcript-scroll') !== null;
}

/** Handles the shortcuts of all actions. */
export function useKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      // Dialogs, menus and listboxes own the keyboard, unless they are fading out.
      if (event.target instanceof Element && event.target.closest(`${openOverlays}, ${choices}`) !== null)
        return;
      if (answerByKey(event)) {
        event.preventDefault();
        return;
      }
      // Closes the search from anywhere in the thread, including its fields and requests.
      if (event.key === 'Escape' && inThread(event.target) && runAction('find.close')) {
        event.preventDefault();
        return;
      }
      // Escape leaves a request without answering or canceling it.
      if (event.key === 'Escape' && inRequest()) {
        event.preventDefault();
        runAction('composer.focus');
        return;
      }
      const action = actionFor(event);
      if (action === undefined) return;
      event.preventDefault();
      action.run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
