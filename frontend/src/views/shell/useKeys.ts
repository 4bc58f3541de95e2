import { useEffect } from 'react';
import { actionFor, runAction } from '../../keyboard/actions';
import { dialogWithoutFocus } from '../parts/dialogFocus';
import { answerByKey, inRequest } from '../tools/requests';

/** Listens for the keys of all actions. */
export function useKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      // A dialog or a menu has the keyboard for itself, but not while it fades.
      if (
        event.target instanceof Element &&
        event.target.closest('[role=dialog]:not([data-closed]), [role=menu]') !== null
      )
        return;
      // One that has just opened has no focus yet.
      if (dialogWithoutFocus() !== null) return;
      if (answerByKey(event)) {
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
