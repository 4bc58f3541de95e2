import type { Place } from '../../transport/api';

const most = 50;

/** Adds a visit to the visited files, oldest first: each file is listed once, at its last visit. */
export function visited(places: readonly Place[], next: Place): Place[] {
  return [...places.filter(({ path }) => path !== next.path), next].slice(-most);
}
