/**
 * Records which data events have delivered. A response and an event may arrive in either order, and then it is unknown
 * which is newer. Every change sends an event, so the events are right in the end and the response is dropped.
 */
export class EventCounts {
  private readonly times = new Map<string, number>();
  private everything = 0;

  note(name: string): void {
    this.times.set(name, (this.times.get(name) ?? 0) + 1);
  }

  all(): void {
    this.everything++;
  }

  /** Returns a function that reports whether the name was recorded again since. */
  watch(name: string): () => boolean {
    const count = () => this.everything + (this.times.get(name) ?? 0);
    const before = count();
    return () => count() !== before;
  }
}
