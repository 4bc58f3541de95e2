/** A part of the page that could not be had is asked for again after so many milliseconds, and from then on less and less often. */
const first = 300;
const most = 15_000;

/**
 * Returns a part of the page that is loaded when it is needed. A connection that fails in that moment does not leave the page without it:
 * it waits until the part is there.
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
