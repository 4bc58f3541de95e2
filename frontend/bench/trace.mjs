/** Main-thread processor time per frame from a Chromium trace: unlike wall time it says the same on a busy machine. */

export const CATEGORIES = ['toplevel', 'blink.user_timing'];

/** Milliseconds of processor time of the page's main thread between one mark named "frame" and the next. */
export function processorTimePerFrame(trace) {
  const { traceEvents } = JSON.parse(trace);
  const marks = traceEvents.filter(({ name, cat }) => name === 'frame' && cat.includes('blink.user_timing'));
  const [first] = marks;
  if (first === undefined) return [];
  const starts = marks.map(({ ts }) => ts).sort((a, b) => a - b);
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
  return times;
}
