import { test as base, expect } from '@playwright/test';
import { Screen } from './screen';
import { Weft } from './weft';

interface Fixtures {
  /** A Weft of its own for the test, started. */
  weft: Weft;
  /** What is seen, by its names. */
  ui: Screen;
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from this pattern
  weft: async ({}, use) => {
    const weft = await Weft.create();
    await weft.start();
    await use(weft);
    await weft.dispose();
  },
  ui: async ({ page }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(`${error.message}\n${error.stack}`));
    await use(new Screen(page));
    expect(errors, 'errors that nobody caught').toEqual([]);
  },
});

export { expect };
