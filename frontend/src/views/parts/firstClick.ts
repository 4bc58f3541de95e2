import type { MouseEvent } from 'react';

/**
 * Returns a click handler that ignores the second click of a double click: what it acts on is gone by then, and
 * something else has moved under the pointer. Keys count each time.
 */
export function firstClick(run: () => unknown): (event: MouseEvent) => void {
  return (event) => {
    if (event.detail < 2) run();
  };
}
