/**
 * What events have brought. An answer and an event may cross on their way, and which of them is newer can't be seen then: whatever
 * changes something sends an event, so the events are right in the end, and the answer is left.
 */
export class Told {
  private readonly times = new Map<string, number>();
  private everything = 0;

  note(name: string): void {
    this.times.set(name, (this.times.get(name) ?? 0) + 1);
  }

  all(): void {
    this.everything++;
  }

  /** Remembers how often something was noted; returns whether it was once more since. */
  watch(name: string): () => boolean {
    const count = () => this.everything + (this.times.get(name) ?? 0);
    const before = count();
    return () => count() !== before;
  }
}
