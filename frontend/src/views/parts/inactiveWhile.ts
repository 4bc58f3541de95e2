import type { MouseEvent } from 'react';

/**
 * Props for a button that is inactive while its action is running. It is not disabled, which would take its focus and
 * leave keyboard users nowhere. A form with such a submit button isn't submitted either.
 */
export function inactiveWhile(rests: boolean): {
  'aria-disabled'?: true;
  onClickCapture?(event: MouseEvent): void;
} {
  return rests ? { 'aria-disabled': true, onClickCapture: stop } : {};
}

function stop(event: MouseEvent): void {
  event.preventDefault();
  event.stopPropagation();
}
