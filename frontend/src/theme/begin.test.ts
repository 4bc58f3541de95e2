// @vitest-environment jsdom
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** What a page is painted in before the rest is loaded. `chosen` is what the backend wrote into it, or null. */
function begun(chosen: 'light' | 'dark' | 'system' | null, systemIsDark: boolean): string | undefined {
  window.matchMedia = (() => ({ matches: systemIsDark })) as never;
  const root = document.documentElement;
  delete root.dataset['theme'];
  if (chosen !== null) root.dataset['theme'] = chosen;
  new Function(readFileSync('public/begin.js', 'utf8'))();
  return root.dataset['theme'];
}

it.each([
  [null, false, 'light'],
  [null, true, 'dark'],
  ['dark', false, 'dark'],
  ['light', true, 'light'],
  ['system', true, 'dark'],
  ['system', false, 'light'],
] as const)('a page begins in what was chosen, %s, on a system that is dark: %s', (chosen, dark, want) => {
  expect(begun(chosen, dark)).toBe(want);
});
