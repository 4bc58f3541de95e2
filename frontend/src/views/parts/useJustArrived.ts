import { useState } from 'react';

const soon = 400;

/** Reports once whether something arrived just now. A row that scrolls into view again did not. */
export function useJustArrived(at: number): boolean {
  const [arrives] = useState(() => at > 0 && Math.abs(Date.now() - at) < soon);
  return arrives;
}
