import { expect, test } from './support/test';

test.describe('the first start', () => {
  test('offers the guide and a place to begin', async ({ weft, page, ui }) => {
    await weft.open(page);
    await expect(page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
    await expect(page.getByRole('radio', { name: /^Guide/ })).toBeChecked();
    await expect(page.getByRole('textbox', { name: 'First prompt' })).toBeFocused();
    await expect(ui.sidebar.getByText('No spaces yet. Send a prompt to create one.')).toBeVisible();
    // The token of the link is gone from the address.
    expect(page.url()).toBe(`${weft.url}/`);
  });

  test('begins a space with its first prompt', async ({ weft, page, ui }) => {
    await weft.open(page);
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a folder' });
    await dialog.getByRole('button', { name: 'orchard' }).click();
    await expect(dialog.getByRole('textbox', { name: 'Path' })).toHaveValue(weft.project);
    await dialog.getByRole('button', { name: 'Choose this folder' }).click();
    await page.getByRole('textbox', { name: 'First prompt' }).fill('summarise this project');
    await page.keyboard.press('Enter');
    await expect(ui.transcript).toContainText('Counts apples');
    await ui.idle();
    await expect(ui.spaces.getByRole('listitem')).toHaveCount(1);
  });

  test('shows what can be asked in an empty space, and asks it', async ({ weft, page, ui }) => {
    await weft.space('guide');
    await weft.open(page);
    await expect(page.getByRole('heading', { name: 'What should Guide do?' })).toBeVisible();
    await page
      .getByRole('list', { name: 'Suggested prompts' })
      .getByRole('button', { name: 'List the TODOs' })
      .click();
    await expect(ui.transcript).toContainText('read the baskets from a file');
    await ui.idle();
  });

  test('refuses a page without the link, and a link that was used', async ({ weft, page, browser }) => {
    const before = await browser.newPage();
    await before.goto(weft.url);
    await expect(
      before.getByRole('heading', { name: 'This page needs the link that Weft printed' }),
    ).toBeVisible();
    await before.close();
    await weft.open(page);
    await expect(page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
  });
});
