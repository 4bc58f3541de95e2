/** Main-thread processor time per frame from a Chromium trace: unlike wall time it says the same on a busy machine. */

export const CATEGORIES = ['toplevel', 'blink.user_timing'];

/**
 * The frames of a trace: processor time of the main thread, and how long it was until the next one, both in ms. With
 * the name of another mark, only frames that have that one too. A page may call its marks otherwise than "frame".
 */
export function frames(trace, having, called = 'frame') {
  const { traceEvents } = JSON.parse(trace);
  const all = traceEvents.filter(({ cat }) => cat.includes('blink.user_timing'));
  const first = all.find(({ name }) => name === called);
  if (first === undefined) return [];
  const marks = all.filter(({ pid }) => pid === first.pid);
  const starts = timesOf(marks, called);
  const times = starts.map(() => 0);
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) =>
      name === 'ThreadControllerImpl::RunTask' && ph === 'X' && pid === first.pid && tid === first.tid,
  );
  let frame = -1;
  for (const { ts, dur, tdur } of tasks.sort((a, b) => a.ts - b.ts)) {
    // The task that holds the mark starts just before it.
    while (frame + 1 < starts.length && starts[frame + 1] <= ts + dur) frame += 1;
    if (frame >= 0) times[frame] += (tdur ?? 0) / 1000;
  }
  const chosen = new Set();
  let at = 0;
  for (const ts of having === undefined ? starts : timesOf(marks, having)) {
    while (at + 1 < starts.length && starts[at + 1] <= ts) at += 1;
    if (starts[at] <= ts) chosen.add(at);
  }
  const each = times.map((busy, i) => ({ busy, span: ((starts[i + 1] ?? starts[i]) - starts[i]) / 1000 }));
  return each.filter((_, i) => chosen.has(i));
}

function timesOf(marks, wanted) {
  return marks
    .filter(({ name }) => name === wanted)
    .map(({ ts }) => ts)
    .sort((a, b) => a - b);
}
