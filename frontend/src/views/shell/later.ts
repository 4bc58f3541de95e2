import { useSyncExternalStore } from 'react';
import { loadLater } from '../../state/loadLater';

// What the first screen does not need is loaded after it, as a whole and before anyone asks for it.

type Rest = typeof import('./rest');

let rest: Rest | null = null;
let asked = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The rest of the views; null until they are there, a moment after the first screen. */
export function useRest(): Rest | null {
  return useSyncExternalStore(subscribe, () => rest);
}

/** Loads the rest once the screen that is now has been painted. */
export function loadRest(): void {
  if (asked) return;
  asked = true;
  afterPaint(async () => {
    rest = await loadLater(() => import('./rest'));
    for (const listener of [...listeners]) listener();
  });
}

/** How long the first screen may take to be painted, in milliseconds. A page that is not shown, or is covered, paints nothing. */
const timeout = 1000;

function afterPaint(job: () => void): void {
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    setTimeout(job);
  };
  requestAnimationFrame(begin);
  setTimeout(begin, document.hidden ? 0 : timeout);
}
