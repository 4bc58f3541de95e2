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
  // The library's own stops, which pass the focus on.
  const axe = () => new AxeBuilder({ page }).exclude('[data-base-ui-focus-guard]');
  const looks =
    what === 'colours'
      ? [axe().withRules('color-contrast')]
      : // The headings inside of an answer are the agent's: their levels are not ours to judge.
        [axe().disableRules('heading-order'), axe().withRules('heading-order').exclude('.prose')];
  const violations = [];
  for (const look of looks) violations.push(...(await look.analyze()).violations);
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
