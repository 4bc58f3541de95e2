import { useSyncExternalStore } from 'react';
import { loadLater } from '../../state/loadLater';

// What the first screen doesn't need is loaded after it, as a whole and before it is requested.

type Rest = typeof import('./rest');

let rest: Rest | null = null;
let asked = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The remaining views; null until they are loaded, shortly after the first screen. */
export function useRest(): Rest | null {
  return useSyncExternalStore(subscribe, () => rest);
}

/** Loads the remaining views once the current screen has been painted. */
export function loadRest(): void {
  if (asked) return;
  asked = true;
  afterPaint(async () => {
    rest = await loadLater(() => import('./rest'));
    for (const listener of [...listeners]) listener();
  });
}

/** How long to wait for the first paint, in milliseconds. A hidden or covered page never paints. */
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
