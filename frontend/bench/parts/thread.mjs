/** Processor time of a process's main thread, looked at from outside. */
import { readFileSync } from 'node:fs';

/** How often it is looked at, in ms: as often as the kernel counts the time of a thread that runs. */
const EVERY = 4;

/**
 * Watches the main thread of a process until the answer is called. That gives a function: the thread's processor
 * time in ms between two moments, both in ms since 1970.
 */
export function watchThread(pid) {
  const at = [];
  const used = [];
  const look = () => {
    used.push(Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6);
    at.push(performance.timeOrigin + performance.now());
  };
  look();
  const timer = setInterval(look, EVERY);
  return () => {
    clearInterval(timer);
    look();
    return (from, to) => usedBy(to) - usedBy(from);
  };

  function usedBy(moment) {
    let low = 0;
    let high = at.length - 1;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (at[middle] <= moment) low = middle;
      else high = middle;
    }
    const share = (moment - at[low]) / (at[high] - at[low]);
    return used[low] + (used[high] - used[low]) * Math.min(1, Math.max(0, share));
  }
}
