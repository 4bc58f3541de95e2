import type { Place } from '../../transport/api';

const most = 50;

/** The files that were visited, oldest first, with a visit more: each file is once, where it was visited last. */
export function visited(places: readonly Place[], next: Place): Place[] {
  return [...places.filter(({ path }) => path !== next.path), next].slice(-most);
}
