import { useEffect } from 'react';
import { useWeft } from '../../state/weft';
import { afterDialogs } from '../parts/afterDialogs';
import { returnFocus } from '../parts/returnFocus';

const over = '[role=dialog], [role=alertdialog], [role=menu], [data-base-ui-focus-guard]';

/**
 * Restores the focus when the last dialog has closed. A dialog opened from the palette would return it to the palette,
 * which is gone by then.
 */
export function useDialogReturn(): void {
  const weft = useWeft();
  useEffect(() => {
    let last: Element | null = null;
    let cancel = () => {};
    const note = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.closest(over) === null) last = target;
    };
    document.addEventListener('focusin', note);
    const stop = weft.dialogs.subscribe(() => {
      cancel();
      // If this dialog made way for another, that one appears in the next frame.
      const frame = requestAnimationFrame(() => {
        cancel = afterDialogs(() => returnFocus(() => last));
      });
      cancel = () => cancelAnimationFrame(frame);
    });
    return () => {
      document.removeEventListener('focusin', note);
      stop();
      cancel();
    };
  }, [weft]);
}
