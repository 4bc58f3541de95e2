/** How much time of a frame goes into formatting, over all blocks of the page. What does not fit waits for the next one. */

/** In milliseconds. */
const PER_FRAME = 16;

let spent = 0;
let ends = false;

/** Whether there is time left in this frame. */
export function frameHasTime(): boolean {
  return spent < PER_FRAME;
}

/** Does a task on the time of this frame. */
export function onFrame<T>(task: () => T): T {
  const started = performance.now();
  try {
    return task();
  } finally {
    spend(performance.now() - started);
  }
}

function spend(time: number) {
  spent += time;
  if (ends) return;
  ends = true;
  requestAnimationFrame(() => {
    ends = false;
    spent = 0;
  });
}
