/** How long a frame may be away before a timer is in for it, in ms. */
const patience = 250;

/**
 * Runs a job once before the next paint, however often it was asked for. A page that is not
 * shown gets no frames, so a timer is in for them.
 */
export class FrameJob {
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = false;
  private askedAt = 0;
  private readonly job: () => void;

  constructor(job: () => void) {
    this.job = job;
  }

  ask(): void {
    if (this.asked) return;
    this.asked = true;
    this.askedAt = performance.now();
    this.frame = requestAnimationFrame(this.run);
    this.timer ??= setTimeout(this.late, patience);
  }

  /** Runs the job now if it has been asked for. */
  readonly run = (): void => {
    if (!this.asked) return;
    this.cancel();
    this.job();
  };

  cancel(): void {
    this.asked = false;
    cancelAnimationFrame(this.frame);
  }

  /** One timer serves many frames: setting and clearing one for each costs more than the job. */
  private readonly late = (): void => {
    this.timer = undefined;
    if (!this.asked) return;
    const left = this.askedAt + patience - performance.now();
    if (left > 0) this.timer = setTimeout(this.late, left);
    else this.run();
  };
}
