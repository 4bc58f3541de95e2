// @vitest-environment jsdom
import { readFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { applyAppearance } from './appearance';

const appearance = { density: 'comfortable', textScale: 100, thoughts: 'in-place', language: 'en' } as const;

/** What a page draws in before the rest of it is read, after one that was drawn as the user chose; null is the first page. */
function begun(chosen: 'light' | 'dark' | 'system' | null, systemIsDark: boolean): string | undefined {
  window.matchMedia = (() => ({
    ...{ matches: systemIsDark, addEventListener() {}, removeEventListener() {} },
  })) as never;
  if (chosen !== null) applyAppearance({ ...appearance, theme: chosen })();
  delete document.documentElement.dataset['theme'];
  new Function(readFileSync('public/begin.js', 'utf8'))();
  return document.documentElement.dataset['theme'];
}

beforeEach(() => localStorage.clear());

it.each([
  [null, false, 'light'],
  [null, true, 'dark'],
  ['dark', false, 'dark'],
  ['light', true, 'light'],
  ['system', true, 'dark'],
] as const)('a page begins in what was chosen, %s, on a system that is dark: %s', (chosen, dark, want) => {
  expect(begun(chosen, dark)).toBe(want);
});
