/** How long a frame may be away before a timer is in for it, in ms. */
const timeout = 250;

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
  private readonly yields: (frame: number) => boolean;
  private yielded = false;
  /** The frame that the job ran in last, by its time. */
  private ranIn = -1;

  /** With `yields`, the job leaves a frame for which that is true to others, and runs in the next one. */
  constructor(job: () => void, yields: (frame: number) => boolean = () => false) {
    this.job = job;
    this.yields = yields;
  }

  ask(): void {
    if (this.asked) return;
    this.asked = true;
    this.askedAt = performance.now();
    this.yielded = false;
    this.frame = requestAnimationFrame(this.onFrame);
    this.timer ??= setTimeout(this.late, timeout);
  }

  /** Whether the job has to do with a frame: it ran in it, or is about to. */
  isIn(frame: number): boolean {
    return this.asked || this.ranIn === frame;
  }

  private readonly onFrame = (frame: number): void => {
    if (!this.yielded && this.yields(frame)) {
      this.yielded = true;
      this.frame = requestAnimationFrame(this.onFrame);
      return;
    }
    this.ranIn = frame;
    this.run();
  };

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
    const left = this.askedAt + timeout - performance.now();
    if (left > 0) this.timer = setTimeout(this.late, left);
    else this.run();
  };
}
