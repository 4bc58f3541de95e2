/** The rows of a streamed answer, from what each frame cost. */
import { percentile, round, sum } from './row.mjs';

/**
 * `times` is the main thread's processor time for each frame that grew, in ms; `frames` is what the page itself
 * saw, in wall time, which also holds what else the machine did.
 */
export function streamed(where, length, times, frames, load) {
  const what = `streaming ${length / 1_000_000} MB of markdown in ${where}`;
  const wall = frames.filter(({ grew }) => grew).map(({ busy }) => busy);
  const gaps = frames.slice(1).map(({ began }, i) => began - frames[i].began);
  const p95 = percentile(times, 95);
  const longest = percentile(times, 100);
  const quarters = [0, 1, 2, 3].map((i) => quarter(times, i));
  const ratio = quarters[3] / quarters[0];
  const wallP95 = percentile(wall, 95);
  const stall = percentile(gaps, 100);
  return [
    [
      `${what}: main thread per frame, p95`,
      `${round(p95)} ms of processor time (p50 ${round(percentile(times, 50))}, ${times.length} frames, ${round(sum(times) / 1000)} s in all; in wall time p95 ${round(wallP95)} ms; ${load})`,
      '',
      '≤ 8 ms',
      Math.min(p95, wallP95) <= 8,
    ],
    [
      `${what}: last quarter against the first`,
      `${round(ratio, 2)} × (${quarters.map((time) => round(time / 1000, 2)).join(', ')} s)`,
      '',
      '≤ 1.3 ×',
      ratio <= 1.3,
    ],
    [
      `${what}: longest stall`,
      `${round(longest)} ms of processor time (longest from frame to frame ${round(stall)} ms)`,
      '',
      '≤ 100 ms',
      Math.min(longest, stall) <= 100,
    ],
  ];
}

function quarter(times, i) {
  const size = Math.ceil(times.length / 4);
  return sum(times.slice(i * size, (i + 1) * size));
}
