/** Milliseconds between announcements, so that a screen reader can finish. */
export const pace = 3000;

/** Most characters announced at once. */
const longest = 2000;

/** Announces texts: the first at once, and soon following ones together and later. One instance per live region. */
export class SpeechQueue {
  private readonly speak: (text: string) => void;
  private readonly join: (texts: readonly string[]) => string;
  private waiting: string[] = [];
  private last = Number.NEGATIVE_INFINITY;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(speak: (text: string) => void, join: (texts: readonly string[]) => string) {
    this.speak = speak;
    this.join = join;
  }

  say(text: string): void {
    if (text === '') return;
    this.waiting.push(text);
    if (this.timer !== undefined) return;
    const rest = this.last + pace - performance.now();
    if (rest <= 0) this.now();
    else this.timer = setTimeout(() => this.now(), rest);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = [];
  }

  private now(): void {
    const text = this.join(this.waiting).slice(0, longest);
    this.timer = undefined;
    this.waiting = [];
    this.last = performance.now();
    this.speak(text);
  }
}
