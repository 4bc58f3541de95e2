/** How long to wait for a frame before using a timer, in ms. */
const timeout = 250;

/**
 * Runs a job once before the next paint, no matter how often it was scheduled. A hidden page gets no frames, so a timer
 * takes their place.
 */
export class FrameJob {
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = false;
  private askedAt = 0;
  private readonly job: () => void;
  private readonly yields: (frame: number) => boolean;
  private yielded = false;
  /** Timestamp of the frame in which the job ran last. */
  private ranIn = -1;

  /** If `yields` returns true for a frame, the job leaves it to other work and runs in the next one. */
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

  /** Reports whether the job ran or will run in a frame. */
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

  /** Runs the job now if it is scheduled. */
  readonly run = (): void => {
    if (!this.asked) return;
    this.cancel();
    this.job();
  };

  cancel(): void {
    this.asked = false;
    cancelAnimationFrame(this.frame);
  }

  /** One timer serves many frames: setting and clearing one per frame costs more than the job. */
  private readonly late = (): void => {
    this.timer = undefined;
    if (!this.asked) return;
    const left = this.askedAt + timeout - performance.now();
    if (left > 0) this.timer = setTimeout(this.late, left);
    else this.run();
  };
}
