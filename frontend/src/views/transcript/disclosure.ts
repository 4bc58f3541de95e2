import { useSyncExternalStore } from 'react';

/** What the user opened and closed in one space. Survives unmounting rows. */
export class Disclosures {
  private readonly known = new Map<string, boolean>();
  private readonly listeners = new Set<() => void>();

  get(key: string): boolean | undefined {
    return this.known.get(key);
  }

  set(key: string, open: boolean): void {
    this.known.set(key, open);
    for (const listener of [...this.listeners]) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export function useDisclosure(disclosures: Disclosures, key: string): boolean | undefined {
  const read = () => disclosures.get(key);
  return useSyncExternalStore(disclosures.subscribe, read, read);
}
