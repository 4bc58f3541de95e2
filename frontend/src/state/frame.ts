/**
 * Runs a job once before the next paint, however often it was asked for. A page that is not
 * shown gets no frames, so a timer stands in for them.
 */
export class FrameJob {
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = false;
  private readonly job: () => void;

  constructor(job: () => void) {
    this.job = job;
  }

  ask(): void {
    if (this.asked) return;
    this.asked = true;
    this.frame = requestAnimationFrame(this.run);
    this.timer = setTimeout(this.run, 250);
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
    clearTimeout(this.timer);
  }
}
