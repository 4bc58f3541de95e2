import { useRef, useSyncExternalStore } from 'react';

/** A value that is replaced as a whole, with subscribers. */
export class Store<T extends object> {
  private value: T;
  private readonly listeners = new Set<() => void>();
  private batches = 0;
  private changed = false;

  constructor(value: T) {
    this.value = value;
  }

  readonly get = (): T => this.value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  set(change: Partial<T>): void {
    this.value = { ...this.value, ...change };
    if (this.batches > 0) this.changed = true;
    else this.tell();
  }

  /** Runs changes and notifies subscribers once at the end. */
  batch(work: () => void): void {
    this.batches++;
    try {
      work();
    } finally {
      this.batches--;
      if (this.batches === 0 && this.changed) {
        this.changed = false;
        this.tell();
      }
    }
  }

  private tell(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

/** Subscribes to a part of a store. Re-renders when that part changes by Object.is. */
export function useStore<T extends object, P>(store: Store<T>, select: (value: T) => P): P {
  const last = useRef<{ value: T; select: (value: T) => P; part: P } | null>(null);
  const read = () => {
    const value = store.get();
    if (last.current?.value === value && last.current.select === select) return last.current.part;
    const part = select(value);
    last.current = { value, select, part };
    return part;
  };
  return useSyncExternalStore(store.subscribe, read, read);
}
