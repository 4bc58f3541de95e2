import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** No rule of axe is broken by what is on the screen, or none about colours. */
export async function accessible(page: Page, where: string, what: 'all' | 'colours' = 'all'): Promise<void> {
  // Colours are judged when nothing moves any more.
  await page.evaluate(() =>
    Promise.all(
      document.getAnimations().map((animation) => {
        const endless = animation.effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY;
        return endless ? undefined : animation.finished.catch(() => {});
      }),
    ),
  );
  // The headings inside of an answer are the agent's; their levels are not ours to judge.
  const { violations } = await (what === 'all'
    ? new AxeBuilder({ page }).disableRules('heading-order')
    : new AxeBuilder({ page }).withRules('color-contrast')
  ).analyze();
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
