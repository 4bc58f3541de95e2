import { expect, type Page } from '@playwright/test';
import axe, { type Result, type RunOptions } from 'axe-core';

export type Look = 'all' | 'repeated' | 'colours';

interface Run {
  without: string[];
  options: RunOptions;
}

const GUARD = '[data-base-ui-focus-guard]';

const regions: Run = {
  without: [GUARD, '.menu', '[data-base-ui-portal]:has(.tooltip)'],
  options: { runOnly: ['region'] },
};
const headings: Run = { without: [GUARD, '.prose'], options: { runOnly: ['heading-order'] } };
const most = { 'heading-order': { enabled: false }, region: { enabled: false } };

// A focus guard hands the focus on at once, and menus and tips are outside of the landmarks by their nature: they are reached from their button
// only. The headings inside of an answer are the agent's: their levels are not ours to judge.
const LOOKS: Record<Look, Run[]> = {
  colours: [{ without: [GUARD], options: { runOnly: ['color-contrast'] } }],
  all: [{ without: [GUARD], options: { rules: most } }, headings, regions],
  // Where the same thing is drawn in each of its states, the same names come again, and headings have the order of the page.
  repeated: [
    {
      without: regions.without,
      options: { rules: { 'heading-order': { enabled: false }, 'landmark-unique': { enabled: false } } },
    },
  ],
};

/** No rule of axe is broken by what is on the screen, or none about colors; the colors of the other theme are judged too, where it can be chosen. */
export async function accessible(page: Page, where: string, what: Look = 'all'): Promise<void> {
  await judge(page, where, what);
  const dark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
  const [mine, other] = dark ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  await page.emulateMedia({ colorScheme: other });
  await still(page);
  // The settings may have the theme fixed.
  const chosen = await page.evaluate(() => document.documentElement.dataset['theme']);
  if (chosen === other) await judge(page, `${where}, ${other}`, 'colours');
  await page.emulateMedia({ colorScheme: mine });
  await still(page);
}

/** Colors are judged when nothing moves any more. What has just been changed, such as the theme, begins to move with the next frame. */
export async function still(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const moving = () =>
      document.getAnimations().filter(({ playState, effect }) => {
        const endless = effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY;
        const { target } = effect as KeyframeEffect;
        // What is skipped as it is out of view doesn't move on.
        return (
          playState === 'running' && !endless && target?.checkVisibility({ contentVisibilityAuto: true })
        );
      });
    do {
      await frame();
      await frame();
      await Promise.all(moving().map(({ finished }) => finished.catch(() => {})));
    } while (moving().length > 0);
  });
}

/** No rule of axe is broken in the theme that is shown: by what is on the screen, or by what is within an element. */
export async function judge(
  page: Page,
  where: string,
  what: Look,
  within: string | null = null,
): Promise<void> {
  await still(page);
  // axe runs in the page itself: its package for Playwright opens another page for each look, which takes ten times as long. That one
  // would be needed for frames.
  expect(page.frames(), 'pages in the page').toHaveLength(1);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async ({ looks, within }) => {
      const { axe } = window as unknown as { axe: typeof import('axe-core') };
      const found: Result[] = [];
      // Style sheets and media are read ahead for rules that are not asked for.
      for (const { without, options } of looks) {
        const exclude = without.map((selector) => [selector]);
        const context = within === null ? { exclude } : { include: [[within]], exclude };
        found.push(
          ...(await axe.run(context, { ...options, preload: false, resultTypes: ['violations'] })).violations,
        );
      }
      return found;
    },
    { looks: LOOKS[what], within },
  );
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, any, all, none }) =>
        `${id}: ${help} — ${target.join(' ')} ${[...any, ...all, ...none]
          .map(({ message }) => message)
          .join('; ')
          .slice(0, 200)}`,
    ),
  );
  expect.soft(found, `axe: ${where}`).toEqual([]);
}
