import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { accessible } from './support/axe';
import { expect, test } from './support/test';

test.describe('a space without a folder', () => {
  test('is chosen, has an empty one of its own, and says so', async ({ weft, page, ui }) => {
    const { puppet, space: first } = await weft.puppet('Robin');
    await weft.open(page);
    await page.keyboard.press('Control+n');
    const none = page.getByRole('button', { name: 'No folder', exact: true });
    await expect(page.getByText('The agent works in this folder.')).toBeVisible();
    await page.getByRole('radio', { name: /^Robin/ }).check();
    await none.click();
    await expect(none).toHaveAttribute('aria-pressed', 'true');
    await expect(page.getByText('Weft creates an empty folder for this space')).toBeVisible();
    await expect(page.getByRole('checkbox', { name: 'Use a new worktree' })).toHaveCount(0);
    await accessible(page, 'a new space without a folder');
    await ui.picture('nofolder-new');
    // The folder is one click away, and was not forgotten.
    await page
      .getByRole('main')
      .getByRole('button', { name: /orchard/ })
      .click();
    await expect(none).toHaveAttribute('aria-pressed', 'false');
    await none.click();

    await page.getByRole('textbox', { name: 'First prompt' }).fill('Think about pears');
    await page.keyboard.press('Enter');
    const turn = await puppet.turn();
    turn.say('I think.');
    turn.end();
    await expect(ui.text('I think.')).toBeVisible();
    const spaces = (await weft.call('ListSpaces', { archived: false, query: '' })) ?? [];
    const made = spaces.find(({ id }) => id !== first.id);
    expect(made).toMatchObject({
      noFolder: true,
      worktree: null,
      folder: join(weft.data, 'spaces', made?.id ?? ''),
    });
    expect(await readdir(made?.folder ?? '')).toEqual([]);

    // The header and the sidebar say so; the path is told on top of it.
    const path = made?.folder ?? '';
    const header = page.locator('.space-header').getByText('No folder', { exact: true });
    await expect(header).toHaveAttribute('title', path);
    const row = ui.spaces.getByRole('listitem').filter({ hasText: 'pears' });
    await expect(row).toContainText('No folder');
    await expect(page.getByText(path, { exact: false })).toHaveCount(0);
    await ui.picture('nofolder');

    // It is of that space alone: the next one begins where the user works.
    await page.keyboard.press('Control+n');
    await expect(none).toHaveAttribute('aria-pressed', 'false');
    await expect(page.getByRole('main').getByRole('button', { name: /orchard/ })).toBeVisible();
    await expect(page.getByRole('list', { name: 'Recent folders' })).toHaveCount(0);
  });
});
