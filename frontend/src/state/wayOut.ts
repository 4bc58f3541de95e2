import type { Screen } from './shown';

/**
 * The screen that leaving one leads to: the one that it was opened from. Screens that were opened from each other, in whatever circle, would
 * never be left; there it is the space.
 */
export function wayOut(screen: Screen, from: Partial<Record<Screen, Screen>>): Screen {
  const to = from[screen] ?? 'space';
  const passed = new Set<Screen>();
  for (let at: Screen | undefined = to; at !== undefined && !passed.has(at); at = from[at]) {
    if (at === screen) return 'space';
    passed.add(at);
  }
  return to;
}
