import { expect, type Locator, type Page } from '@playwright/test';

// Answering a request, in one place. A request takes no answer in the first half second after it appeared or
// moved; data-armed says when it does.

/**
 * Waits until a request takes answers and rests. It looks at its place once a frame, so what has just moved it (a window
 * of another size, a line that came below it) is known some frames later.
 */
export async function armed(request: Locator): Promise<void> {
  await expect(() =>
    request.evaluate(
      (element) =>
        new Promise<void>((done, fail) => {
          let left = 10;
          const look = () => {
            if ((element as HTMLElement).dataset['armed'] !== 'true')
              fail(new Error('It takes no answer yet.'));
            else if (left-- > 0) requestAnimationFrame(look);
            else done();
          };
          look();
        }),
    ),
  ).toPass({ timeout: 45_000 });
}

/** Clicks an answer of a request. Scrolling to it moves the request, so that comes before the wait. */
export async function clickAnswer(request: Locator, button: Locator): Promise<void> {
  // A request that has just been answered is still there for a moment, and the next one is meant.
  await expect(() => button.scrollIntoViewIfNeeded()).toPass();
  await armed(request);
  await button.click();
}

/** Answers a permission card with its Allow button, or with an option of its menu. */
export async function allow(card: Locator, option?: string | RegExp): Promise<void> {
  await answer(card, 'Allow', option);
}

export async function reject(card: Locator, option?: string | RegExp): Promise<void> {
  await answer(card, 'Reject', option);
}

/** Opens the menu of Allow or Reject; its items by name are options of the agent and rules. */
export async function openMenu(card: Locator, of: 'Allow' | 'Reject'): Promise<Locator> {
  await clickAnswer(card, card.getByRole('button', { name: `More ways to ${of.toLowerCase()}` }));
  const menu = card.page().getByRole('menu');
  await expect(menu).toBeVisible();
  return menu;
}

async function answer(card: Locator, of: 'Allow' | 'Reject', option: string | RegExp | undefined) {
  if (option === undefined) {
    await clickAnswer(card, card.getByRole('button', { name: of, exact: true }));
    return;
  }
  const menu = await openMenu(card, of);
  await armed(menu);
  await menu.getByRole('menuitem', { name: option, exact: typeof option === 'string' }).click();
}

/** Goes to the request by keyboard and presses a key there. */
export async function answerByKey(page: Page, request: Locator, key: string): Promise<void> {
  await expect(request).toBeVisible();
  // The card may still be that of the request before, where there is no next one to go to yet: then again.
  await expect
    .poll(async () => {
      const inside = await request.evaluate((element) => element.contains(document.activeElement));
      if (!inside) await page.keyboard.press('Control+Shift+j');
      return inside;
    })
    .toBe(true);
  await armed(request);
  await page.keyboard.press(key);
}

/** Clicks every button and presses every answering key in the very task in which a request appears. */
export async function pounce(page: Page, selector: string): Promise<void> {
  await page.evaluate((wanted) => {
    const seen = new WeakSet<Element>();
    const look = () => {
      for (const one of document.querySelectorAll<HTMLElement>(wanted)) {
        if (seen.has(one)) continue;
        seen.add(one);
        for (const button of one.querySelectorAll<HTMLElement>('button:not([aria-haspopup])')) {
          button.click();
          for (const key of ['1', '2', 'a', 'r', 'Enter', ' '])
            button.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        }
        document.documentElement.dataset['pounced'] = 'true';
      }
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
  }, selector);
}
