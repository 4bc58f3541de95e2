import { useEffect } from 'react';
import { returnFocus } from '../parts/returnFocus';

const list = '[data-sonner-toaster]';

/**
 * Toasts stay while one of them has the focus, as they do under the mouse, which is all that the library supports.
 * Escape returns the focus.
 */
export function useToastFocus(): void {
  useEffect(() => {
    let before: Element | null = null;
    const toastsAt = (target: EventTarget | null) =>
      target instanceof Element ? target.closest(list) : null;
    const enter = ({ target }: FocusEvent) => {
      const toasts = toastsAt(target);
      if (toasts === null && target instanceof Element) before = target;
      toasts?.dispatchEvent(new MouseEvent('mousemove', { bubbles: true }));
    };
    const leave = ({ target, relatedTarget }: FocusEvent) => {
      const toasts = toastsAt(target);
      if (toasts === null || toasts === toastsAt(relatedTarget)) return;
      toasts.dispatchEvent(new MouseEvent('mouseout', { bubbles: true, relatedTarget: document.body }));
    };
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || toastsAt(event.target) === null) return;
      event.preventDefault();
      event.stopPropagation();
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      returnFocus(() => before);
    };
    document.addEventListener('focusin', enter);
    document.addEventListener('focusout', leave);
    window.addEventListener('keydown', key, { capture: true });
    return () => {
      document.removeEventListener('focusin', enter);
      document.removeEventListener('focusout', leave);
      window.removeEventListener('keydown', key, { capture: true });
    };
  }, []);
}
