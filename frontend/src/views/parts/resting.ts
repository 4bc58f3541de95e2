import type { MouseEvent } from 'react';

/**
 * The props of a button that does nothing while something it has begun is running. It is not disabled: that would take the focus from it, and
 * who uses keys would be nowhere. A form whose submit button rests isn't sent, either.
 */
export function resting(rests: boolean): {
  'aria-disabled'?: true;
  onClickCapture?(event: MouseEvent): void;
} {
  return rests ? { 'aria-disabled': true, onClickCapture: stop } : {};
}

function stop(event: MouseEvent): void {
  event.preventDefault();
  event.stopPropagation();
}
