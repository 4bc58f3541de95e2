import { useEffect } from 'react';
import { actionFor, runAction } from '../../keyboard/actions';
import { dialogWithoutFocus } from '../parts/dialogFocus';
import { over } from '../parts/over';
import { answerByKey, inRequest } from '../tools/requests';

const choices = '[data-base-ui-portal] [data-open]';

function inThread(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.transcript-scroll') !== null;
}

/** Listens for the keys of all actions. */
export function useKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      // A dialog, a menu and a list of choices have the keyboard for themselves, but not while they fade.
      if (event.target instanceof Element && event.target.closest(`${over}, ${choices}`) !== null) return;
      // One that has just opened has no focus yet.
      if (dialogWithoutFocus() !== null) return;
      if (answerByKey(event)) {
        event.preventDefault();
        return;
      }
      // It ends a search wherever the focus is in the thread, also in a field or a request there.
      if (event.key === 'Escape' && inThread(event.target) && runAction('find.close')) {
        event.preventDefault();
        return;
      }
      // Escape leaves a request as it is: it neither answers nor cancels it.
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
