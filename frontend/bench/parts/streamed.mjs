/** The rows of a streamed answer, from what each frame cost. */
import { percentile, round, sum } from './row.mjs';

/** The agent writes ten pieces in this time, in ms. */
const FRAME = 1000 / 60;

/**
 * `grown` has the main thread's processor time, and the time until the next frame, of each frame that changed
 * something; `frames` is what the page itself saw, in wall time, which also holds what else the machine did.
 *
 * `want` is what a frame may take at most, in ms. A frame that comes late holds more than ten pieces. Its time counts for as many frames as it stands for.
 */
export function streamed(where, length, grown, frames, load, want = 6) {
  const what = `streaming ${length / 1_000_000} MB of markdown in ${where}`;
  const gaps = frames.slice(1).map(({ began }, i) => began - frames[i].began);
  const times = grown.map(({ busy }) => busy);
  const ten = perTen(grown);
  const p95 = percentile(ten, 95);
  const longest = percentile(times, 100);
  const quarters = [0, 1, 2, 3].map((i) => quarter(times, i));
  const ratio = quarters[3] / quarters[0];
  const stall = percentile(gaps, 100);
  const rate = (1000 * gaps.length) / sum(gaps);
  return [
    [
      `${what}: main thread per frame of ten pieces, p95`,
      `${round(p95)} ms of processor time (p50 ${round(percentile(ten, 50))}, ${round(sum(times) / 1000)} s in all; ${times.length} frames at ${round(rate, 0)} a second, each as it was p95 ${round(percentile(times, 95))}; ${load})`,
      '',
      `≤ ${want} ms`,
      p95 <= want,
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

/** What each frame has cost for ten pieces. */
export function perTen(grown) {
  return grown.map(({ busy, span }) => busy / Math.max(1, span / FRAME));
}

function quarter(times, i) {
  const size = Math.ceil(times.length / 4);
  return sum(times.slice(i * size, (i + 1) * size));
}
