/** What frames cost, by part, from a Chromium trace: where on the main thread the processor time went. */

/** Categories that a trace needs for it, beside those of trace.mjs. */
export const PARTS = ['devtools.timeline', 'disabled-by-default-v8.gc'];

/** Parts by the names of the events that belong to them. An event that is not named here belongs to the one around it. */
const OF = new Map(
  Object.entries({
    script: [
      'FunctionCall',
      'EvaluateScript',
      'v8.run',
      'RunMicrotasks',
      'TimerFire',
      'FireAnimationFrame',
      'FireIdleCallback',
      'EventDispatch',
      'HandlePostMessage',
    ],
    garbage: ['MinorGC', 'MajorGC', 'V8.GC', 'BlinkGC.AtomicPhase', 'V8.GCScavenger', 'V8.GCFinalizeMC'],
    parse: ['ParseHTML'],
    style: ['UpdateLayoutTree', 'RecalculateStyles', 'ScheduleStyleRecalculation'],
    layout: ['Layout'],
    'pre-paint': ['PrePaint', 'UpdateLayerTree'],
    paint: ['Paint', 'PaintImage'],
    layers: ['Layerize', 'UpdateLayer', 'CompositeLayers'],
    commit: ['Commit'],
    'hit test': ['HitTest'],
    intersections: ['IntersectionObserverController::computeIntersections'],
  }).flatMap(([part, names]) => names.map((name) => [name, part])),
);

/** Milliseconds of processor time by part, of the thread on which there are marks named "frame", and how often each began. */
export function partsOf(trace) {
  const { traceEvents } = JSON.parse(trace);
  const first = traceEvents.find(({ cat, name }) => cat.includes('blink.user_timing') && name === 'frame');
  const times = new Map();
  const counts = new Map();
  if (first === undefined) return { times, counts };
  const events = traceEvents
    .filter(({ ph, pid, tid }) => ph === 'X' && pid === first.pid && tid === first.tid)
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const open = []; // events that hold the one that is looked at
  const add = (part, ms) => times.set(part, (times.get(part) ?? 0) + ms);
  const close = ({ part, own }) => add(part, own / 1000);
  for (const { name, ts, dur = 0, tdur = 0 } of events) {
    while (open.length > 0 && open.at(-1).end <= ts) close(open.pop());
    const outer = open.at(-1);
    const part = OF.get(name) ?? outer?.part ?? 'other';
    if (outer !== undefined) outer.own -= tdur;
    if (OF.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
    open.push({ part, end: ts + dur, own: tdur });
  }
  for (const left of open) close(left);
  return { times, counts };
}
