/** Delay before retrying a failed load, in milliseconds. It grows with each attempt. */
const first = 300;
const most = 15_000;

/**
 * Loads a part of the page on demand. Retries until it succeeds, so that a failing connection doesn't leave the page
 * without it.
 */
export async function loadLater<T>(load: () => Promise<T>): Promise<T> {
  for (let pause = first; ; pause = Math.min(2 * pause, most)) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
