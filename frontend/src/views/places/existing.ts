/** Paths that are asked about together. */
const together = 100;
/** How long paths are gathered, in milliseconds. */
const gather = 250;
/** Paths whose answer is kept. */
const mostKept = 5000;

type Ask = (paths: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Which of the paths in texts are files. What many texts want to know is asked in few requests, one after the other, and
 * what is known isn't asked again. A file that didn't exist may be made: that is asked again once files have changed.
 */
export class ExistingFiles {
  private readonly ask: Ask;
  private known = new Map<string, boolean>();
  private readonly waiting = new Map<string, ((exists: boolean) => void)[]>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asking = false;

  constructor(ask: Ask) {
    this.ask = ask;
  }

  /** Whether a path is a file, as far as that is known. */
  peek(path: string): boolean | undefined {
    return this.known.get(path);
  }

  /** Whether a path is a file; false where nobody knows. */
  exists(path: string): Promise<boolean> {
    const known = this.known.get(path);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      const others = this.waiting.get(path);
      if (others === undefined) this.waiting.set(path, [resolve]);
      else others.push(resolve);
      this.start();
    });
  }

  /** Files were changed. */
  changed(): void {
    this.known = new Map([...this.known].filter(([, exists]) => exists));
  }

  private start(): void {
    if (this.asking || this.timer !== undefined || this.waiting.size === 0) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.next();
    }, gather);
  }

  private async next(): Promise<void> {
    this.asking = true;
    const paths = [...this.waiting.keys()].slice(0, together);
    let found: ReadonlySet<string> | null = null;
    try {
      found = await this.ask(paths);
    } catch {
      // The texts stay as they are.
    }
    if (this.known.size > mostKept) this.known = new Map();
    for (const path of paths) {
      const exists = found?.has(path) === true;
      if (found !== null) this.known.set(path, exists);
      for (const resolve of this.waiting.get(path) ?? []) resolve(exists);
      this.waiting.delete(path);
    }
    this.asking = false;
    this.start();
  }
}
