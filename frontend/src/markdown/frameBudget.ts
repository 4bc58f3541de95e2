/**
 * Limits the work per frame on texts, for the whole page. What doesn't fit waits for the next frame. Long texts wait
 * once others have taken some time; everything waits once the drawing steps would make the frame late.
 */
import { stepsTaken } from './work';

/** In milliseconds. */
const PER_FRAME = 16;
/** In steps (see work.ts). Ordinary texts on all of a large screen take less. */
const STEPS_PER_FRAME = 500_000;

let spent = 0;
let steps = 0;
let ends = false;

/** Reports whether there is time left in this frame for something long. */
export function frameHasTime(): boolean {
  return spent < PER_FRAME && steps < STEPS_PER_FRAME;
}

/** Reports whether this frame has no budget left at all. */
export function frameIsFull(): boolean {
  return steps >= STEPS_PER_FRAME;
}

/** Runs a task and charges its time to this frame. */
export function chargeFrame<T>(task: () => T): T {
  const started = performance.now();
  const before = stepsTaken();
  try {
    return task();
  } finally {
    spent += performance.now() - started;
    chargeDrawing(stepsTaken() - before);
  }
}

/** Charges the steps that the browser will take to draw what was put into the page. */
export function chargeDrawing(more: number) {
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
