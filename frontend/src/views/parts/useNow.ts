import { useSyncExternalStore } from 'react';

// A shared clock for durations. It ticks only while it is observed.

function clock(every: number) {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const subscribe = (listener: () => void) => {
    timer ??= setInterval(() => {
      for (const one of listeners) one();
    }, every);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
  // Rounded, so that it returns the same value within a tick.
  const read = () => Math.floor(Date.now() / every) * every;
  return { subscribe, read };
}

const seconds = clock(1000);
const halfMinutes = clock(30_000);
const never = () => () => {};

/** The time, once a second while active. */
export function useSeconds(active: boolean): number {
  return useSyncExternalStore(active ? seconds.subscribe : never, seconds.read);
}

/** The time, twice a minute. */
export function useMinutes(): number {
  return useSyncExternalStore(halfMinutes.subscribe, halfMinutes.read) + 15_000;
}
