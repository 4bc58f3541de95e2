import { expect, type Page } from '@playwright/test';
import axe, { type Result, type RunOptions } from 'axe-core';

type Look = 'all' | 'colours';

interface Run {
  without: string[];
  options: RunOptions;
}

const GUARD = '[data-base-ui-focus-guard]';

// A focus guard hands the focus on at once, and a menu is outside of the landmarks by its nature: it is reached from its button
// only. The headings inside of an answer are the agent's: their levels are not ours to judge.
const LOOKS: Record<Look, Run[]> = {
  colours: [{ without: [GUARD], options: { runOnly: ['color-contrast'] } }],
  all: [
    {
      without: [GUARD],
      options: { rules: { 'heading-order': { enabled: false }, region: { enabled: false } } },
    },
    { without: [GUARD, '.prose'], options: { runOnly: ['heading-order'] } },
    { without: [GUARD, '.menu'], options: { runOnly: ['region'] } },
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
async function still(page: Page): Promise<void> {
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

async function judge(page: Page, where: string, what: Look): Promise<void> {
  await still(page);
  // axe runs in the page itself: its package for Playwright opens another page for each look, which takes ten times as long. That one
  // would be needed for frames.
  expect(page.frames(), 'pages in the page').toHaveLength(1);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (looks) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const found: Result[] = [];
    for (const { without, options } of looks) {
      const context = { exclude: without.map((selector) => [selector]) };
      found.push(...(await axe.run(context, { ...options, resultTypes: ['violations'] })).violations);
    }
    return found;
  }, LOOKS[what]);
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
