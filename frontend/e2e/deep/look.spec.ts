import type { Page } from '@playwright/test';
import { accessible } from '../support/axe';
import { edit, fail, finish, history, stream } from '../support/scenes';
import type { Screen } from '../support/screen';
import { expect, test } from '../support/test';
import { themes } from '../support/themes';

// Every screen in light and dark: axe has nothing to say, and with WEFT_PICTURES=1 there are pictures in test-results/screens.
// Structure is the same in both; in the dark only the colors are judged again.

for (const theme of themes) {
  const see = async (page: Page, ui: Screen, name: string) => {
    await ui.picture(`${theme}-${name}`);
    await accessible(page, name, theme === 'light' ? 'all' : 'colours');
  };

  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });
    test.describe.configure({ timeout: 90_000 });

    test('first start, folder, palette, keyboard map', async ({ weft, page, ui }) => {
      await weft.open(page);
      await expect(page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
      await see(page, ui, 'first-start');
      await page.getByRole('button', { name: 'Change' }).click();
      await expect(page.getByRole('button', { name: 'orchard' })).toBeVisible();
      await see(page, ui, 'folder');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await page.keyboard.press('Control+k');
      await expect(ui.palette).toBeVisible();
      await see(page, ui, 'palette');
      await page.keyboard.press('Escape');
      await expect(ui.palette).toBeHidden();
      await page.getByRole('button', { name: 'Settings' }).focus();
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Command palette');
      await see(page, ui, 'keyboard');
    });

    test('settings', async ({ weft, page, ui }) => {
      await weft.script('Robin', 'refuses.mjs');
      await weft.open(page);
      await ui.openSettings();
      const row = (name: RegExp) =>
        page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
      await row(/^Robin/)
        .getByRole('button', { name: 'Test' })
        .click();
      await expect(row(/^Robin/)).toContainText('Last error output');
      await row(/^Guide/)
        .getByRole('button', { name: 'Test' })
        .click();
      await expect(row(/^Guide/)).toContainText('Works, answered in');
      await see(page, ui, 'settings');
      await ui.showSection('Appearance');
      await ui.picture(`${theme}-appearance`);
      await ui.showSection('Agents');
      await page.getByRole('button', { name: 'Add agent' }).click();
      await expect(page.getByRole('dialog', { name: 'Add agent' })).toBeVisible();
      await see(page, ui, 'add-agent');
    });

    test('an empty space, and an agent that works and asks', async ({ weft, page, ui }) => {
      const { puppet, space } = await weft.puppet();
      await weft.call('UpdateSpace', { spaceId: space.id, title: 'Count the apples' });
      await weft.space('guide', 'Older things');
      await weft.open(page);
      await expect(page.getByRole('heading', { name: 'What should Guide do?' })).toBeVisible();
      await see(page, ui, 'empty-space');
      await ui.spaces.getByRole('button', { name: /Count/ }).first().click();
      await ui.send('Why does an empty basket count as one, and can you fix it?');
      const turn = await puppet.turn();
      await expect(ui.transcript).toContainText('Working');
      await ui.picture(`${theme}-waiting-for-words`);
      stream(turn);
      await expect(ui.tool('Search for count(')).toBeVisible();
      await ui.send('Then run the tests');
      await see(page, ui, 'streaming');
      void turn.ask(edit(weft.project));
      await expect(ui.permissions).toBeVisible();
      await see(page, ui, 'permission');
    });

    test('what was done, what failed, and the traffic', async ({ weft, page, ui }) => {
      const { puppet } = await weft.puppet();
      await weft.open(page);
      await ui.send('Why does an empty basket count as one, and can you fix it?');
      const turn = await puppet.turn();
      stream(turn);
      turn.did(edit(weft.project));
      finish(turn);
      await ui.idle();
      await ui.group(/./).click();
      await ui.tool('Edit src/apples.js').click();
      await expect(ui.transcript.locator('.detail')).toContainText('basket !== null');
      await ui.plan.getByRole('button').click();
      await see(page, ui, 'groups');
      await ui.plan.getByRole('button').click();
      await ui.send('Then run the tests');
      fail(await puppet.turn());
      await expect(ui.error).toBeVisible();
      await see(page, ui, 'error');
      await page.keyboard.press('Control+Shift+L');
      await expect(ui.log.locator('.log-entry').first()).toBeVisible();
      await see(page, ui, 'log');
    });

    test('little room: 760, 720, and a drawer below', async ({ weft, page, ui }) => {
      const { puppet } = await weft.puppet();
      await weft.space('guide', 'Older things');
      await weft.open(page);
      await ui.spaces
        .getByRole('button', { name: /^New space/ })
        .first()
        .click();
      await ui.send('Why does an empty basket count as one, and can you fix it?');
      const turn = await puppet.turn();
      stream(turn);
      finish(turn);
      await ui.idle();
      for (const width of [760, 720]) {
        await page.setViewportSize({ width, height: 800 });
        await expect(ui.sidebar).toBeVisible();
        await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
        await ui.picture(`${theme}-${width}`);
      }
      await accessible(page, '720', theme === 'light' ? 'all' : 'colours');
      await page.setViewportSize({ width: 700, height: 800 });
      await expect(ui.sidebar).toBeHidden();
      await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
      await page.getByRole('main').getByRole('button', { name: 'Show or hide the sidebar' }).click();
      await expect(ui.sidebar).toBeVisible();
      await see(page, ui, 'drawer');
      await ui.spaces.getByRole('button', { name: /Older/ }).first().click();
      await expect(ui.sidebar).toBeHidden();
      await expect(page.getByRole('heading', { name: 'What should Guide do?' })).toBeVisible();
      await ui.picture(`${theme}-700`);
    });

    test('a long history, read in the middle', async ({ weft, page, ui }) => {
      const { puppet } = await weft.puppet();
      await weft.open(page);
      await history(ui, puppet);
      await ui.transcript.hover();
      await page.mouse.wheel(0, -1800);
      await expect(page.getByRole('button', { name: 'Go to latest' })).toBeVisible();
      await see(page, ui, 'long-history');
    });
  });
}

test('a page without the link', async ({ weft, page, ui }) => {
  await page.goto(weft.url);
  await expect(
    page.getByRole('heading', { name: 'This page needs the link that Weft printed' }),
  ).toBeVisible();
  await ui.picture('light-refused');
  await accessible(page, 'refused');
});

/** Pixels by which the window is wider than the screen. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
