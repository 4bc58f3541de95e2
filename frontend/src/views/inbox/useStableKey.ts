import { useEffect, useState } from 'react';

/** Moving on faster than this counts as passing by. */
const passing = 120;

/**
 * Returns the key once the user stays on it: at once if they haven't moved for a moment, and null while they move on,
 * so that skipped spaces aren't opened.
 */
export function useStableKey(key: string | null): string | null {
  const [state, setState] = useState({ key, at: 0, rested: true });
  let now = state;
  if (state.key !== key) {
    const at = performance.now();
    now = { key, at, rested: at - state.at > passing };
    setState(now);
  }
  const { rested, at } = now;
  useEffect(() => {
    if (rested) return;
    const timer = setTimeout(
      () => setState((one) => (one.at === at ? { ...one, rested: true } : one)),
      passing,
    );
    return () => clearTimeout(timer);
  }, [rested, at]);
  return rested ? key : null;
}
