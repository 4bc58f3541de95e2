import type { Screen } from './shown';

/**
 * Returns the screen to show when leaving one: the screen from which it was opened. For screens that were opened from
 * each other in a circle, it is the space.
 */
export function exitScreen(screen: Screen, from: Partial<Record<Screen, Screen>>): Screen {
  const to = from[screen] ?? 'space';
  const passed = new Set<Screen>();
  for (let at: Screen | undefined = to; at !== undefined && !passed.has(at); at = from[at]) {
    if (at === screen) return 'space';
    passed.add(at);
  }
  return to;
}
