/**
 * How much of a frame goes into texts, over all of the page. What does not fit waits for the next one. What is long waits where others
 * have taken some time; everything waits where the steps of what is drawn are so many that the frame would be late.
 */
import { stepsTaken } from './work';

/** In milliseconds. */
const PER_FRAME = 16;
/** In steps (see work.ts). Ordinary texts on all of a large screen take less. */
const STEPS_PER_FRAME = 500_000;

let spent = 0;
let steps = 0;
let ends = false;

/** Whether something long may still be drawn in this frame. */
export function frameHasTime(): boolean {
  return spent < PER_FRAME && steps < STEPS_PER_FRAME;
}

/** Whether this frame has no room left for anything. */
export function frameIsFull(): boolean {
  return steps >= STEPS_PER_FRAME;
}

/** Does a task on the time of this frame. */
export function onFrame<T>(task: () => T): T {
  const started = performance.now();
  const before = stepsTaken();
  try {
    return task();
  } finally {
    spent += performance.now() - started;
    noteDrawing(stepsTaken() - before);
  }
}

/** Notes steps that the browser will take for what has been put into the page. */
export function noteDrawing(more: number) {
  steps += more;
  // Without a page there are no frames.
  if (typeof requestAnimationFrame === 'undefined') beginFrame();
  else if (!ends) {
    ends = true;
    requestAnimationFrame(beginFrame);
  }
}

/** Called when a frame begins. */
export function beginFrame() {
  ends = false;
  spent = 0;
  steps = 0;
}
