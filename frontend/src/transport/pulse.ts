const tick = 500;
/**
 * Weft sends a heartbeat every second (see backend/api/httpapi/events.go). After this many silent ticks it counts as not
 * responding,
 */
const silent = 7;
/** and after this many the connection is reopened, because the network may have dropped it. */
const dead = 20;

/** Detects a silent stream. It counts ticks instead of time, because a sleeping computer doesn't listen. */
export class Pulse {
  private ticks = 0;
  private readonly onSilent: () => void;
  private readonly onDead: () => void;

  constructor(onSilent: () => void, onDead: () => void) {
    this.onSilent = onSilent;
    this.onDead = onDead;
  }

  /** Starts listening and returns a function that stops it. */
  start(): () => void {
    const timer = setInterval(() => {
      this.ticks++;
      if (this.ticks === silent) this.onSilent();
      if (this.ticks === dead) this.onDead();
    }, tick);
    return () => clearInterval(timer);
  }

  /** Resets the count after data or a retry. */
  beat(): void {
    this.ticks = 0;
  }
}
