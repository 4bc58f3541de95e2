import type { Event } from '../transcript/types';
import type { Events } from './api';
import type { Place, Sink, Transport } from './transport';

export interface FeedTarget {
  /** Applies events that continue the position without a gap. */
  apply(events: readonly Event[]): void;
  /** The position is no longer valid and a new snapshot is needed. */
  reset(): void;
}

/**
 * Turns the events of one space into a gapless sequence. It passes on seq+1, drops earlier events, and requests the
 * missing ones if there is a gap; events that arrive meanwhile are buffered.
 */
export class Feed implements Sink<Event> {
  private readonly transport: Pick<Transport, 'watch' | 'call'>;
  private readonly spaceId: string;
  private readonly target: FeedTarget;
  private place: Place;
  private waiting: Event[] | null = null;
  private stopWatching: (() => void) | null = null;
  private stopped = false;

  constructor(
    transport: Pick<Transport, 'watch' | 'call'>,
    spaceId: string,
    place: Place,
    target: FeedTarget,
  ) {
    this.transport = transport;
    this.spaceId = spaceId;
    this.place = place;
    this.target = target;
  }

  get at(): Place {
    return this.place;
  }

  start(): void {
    this.stopWatching = this.transport.watch(this.spaceId, () => this.place, this);
  }

  stop(): void {
    this.stopped = true;
    this.stopWatching?.();
  }

  events(events: readonly Event[]): void {
    if (this.stopped) return;
    if (this.waiting !== null) {
      this.waiting.push(...events);
      return;
    }
    const next: Event[] = [];
    let { epoch, seq } = this.place;
    for (const [i, event] of events.entries()) {
      if (event.epoch < epoch || (event.epoch === epoch && event.seq <= seq)) continue;
      if (event.epoch > epoch) {
        this.pass(next, seq);
        this.lost();
        return;
      }
      if (event.seq !== seq + 1) {
        this.pass(next, seq);
        this.fill(events.slice(i));
        return;
      }
      seq = event.seq;
      epoch = event.epoch;
      next.push(event);
    }
    this.pass(next, seq);
  }

  gap(): void {
    if (!this.stopped) this.lost();
  }

  private pass(events: readonly Event[], seq: number): void {
    if (events.length === 0) return;
    this.place = { epoch: this.place.epoch, seq };
    this.target.apply(events);
  }

  private fill(after: Event[]): void {
    this.waiting = after;
    const asked = this.transport.call('Since', { spaceId: this.spaceId, ...this.place });
    asked.then(
      (answer) => this.filled(answer),
      () => this.lost(),
    );
  }

  private filled(answer: Events): void {
    if (this.stopped) return;
    if (answer.reset || answer.epoch !== this.place.epoch) {
      this.lost();
      return;
    }
    const waiting = this.waiting ?? [];
    this.waiting = null;
    const before = this.place.seq;
    this.events(answer.events ?? []);
    // A response that doesn't close the gap would be requested forever.
    if (this.waiting === null && this.place.seq === before && waiting.length > 0) this.lost();
    else this.events(waiting);
  }

  private lost(): void {
    if (this.stopped) return;
    this.stop();
    this.target.reset();
  }
}
