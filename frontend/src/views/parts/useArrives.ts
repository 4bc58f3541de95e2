import { useState } from 'react';

const soon = 400;

/** Whether something came just now, told once: what is scrolled into view again did not. */
export function useArrives(at: number): boolean {
  const [arrives] = useState(() => at > 0 && Math.abs(Date.now() - at) < soon);
  return arrives;
}
