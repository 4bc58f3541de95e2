const tick = 500;
/** Weft says something every second (heartbeat in backend/httpapi/events.go). After so many ticks without a word it doesn't answer, */
const silent = 7;
/** and after so many the connection is opened again: the network may have dropped it. */
const dead = 20;

/** Finds out that a stream has gone silent. It counts ticks, not time: a computer that slept has not listened. */
export class Pulse {
  private ticks = 0;
  private readonly onSilent: () => void;
  private readonly onDead: () => void;

  constructor(onSilent: () => void, onDead: () => void) {
    this.onSilent = onSilent;
    this.onDead = onDead;
  }

  /** Begins to listen; returns what ends that. */
  start(): () => void {
    const timer = setInterval(() => {
      this.ticks++;
      if (this.ticks === silent) this.onSilent();
      if (this.ticks === dead) this.onDead();
    }, tick);
    return () => clearInterval(timer);
  }

  /** Something came, or it is tried again. */
  beat(): void {
    this.ticks = 0;
  }
}
