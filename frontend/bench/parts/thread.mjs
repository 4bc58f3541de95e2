/** Processor time of a process's main thread, looked at from outside. */
import { readFileSync } from 'node:fs';

/**
 * Samples the processor time of a process's main thread until the answer is called, which gives
 * `{ at, busy }` in ms since the last one, about every frame.
 */
export function watchThread(pid) {
  const samples = [];
  const used = () =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  let at = performance.now();
  let before = used();
  const timer = setInterval(() => {
    const now = performance.now();
    const time = used();
    samples.push({ span: now - at, busy: time - before });
    at = now;
    before = time;
  }, 1000 / 60);
  return () => {
    clearInterval(timer);
    return samples;
  };
}
