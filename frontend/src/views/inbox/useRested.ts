import { useEffect, useState } from 'react';

/** Who moves on faster than this only passes by. */
const passing = 120;

/**
 * The key, once the user stays at it: at once where they have not moved for a moment, and null while they pass by, so that
 * the spaces that they pass are not opened.
 */
export function useRested(key: string | null): string | null {
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
