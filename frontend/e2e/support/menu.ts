import type { Locator, Page } from '@playwright/test';

/** The menu that is open. One that is closing is still there for a moment, with items of the same names. */
export function shownMenu(page: Page): Locator {
  return page.locator('[role=menu][data-open]');
}
