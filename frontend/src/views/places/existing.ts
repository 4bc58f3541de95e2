/** How many paths are checked per request. */
const batchSize = 100;
/** How long paths are collected, in milliseconds. */
const batchDelay = 250;
/** How many results are cached. */
const mostKept = 5000;

type Ask = (paths: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Checks which paths in texts are files. The requests of many texts are combined into few, one after the other, and
 * known paths aren't checked again. A missing file may be created, so it is checked again after files have changed.
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

  /** Returns whether a path is a file, if known. */
  peek(path: string): boolean | undefined {
    return this.known.get(path);
  }

  /** Resolves to whether a path is a file; false if that can't be determined. */
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

  /** Called when files have changed. */
  changed(): void {
    this.known = new Map([...this.known].filter(([, exists]) => exists));
  }

  private start(): void {
    if (this.asking || this.timer !== undefined || this.waiting.size === 0) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.next();
    }, batchDelay);
  }

  private async next(): Promise<void> {
    this.asking = true;
    const paths = [...this.waiting.keys()].slice(0, batchSize);
    let found: ReadonlySet<string> | null = null;
    try {
      found = await this.ask(paths);
    } catch {
      // The texts stay without links.
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
