import { shownMenu } from './support/menu';
import { allow } from './support/requests';
import { expect, test } from './support/test';

test.describe('the list of spaces', () => {
  test('renames: in the list, in the header, and by F2', async ({ weft, page, ui }) => {
    const space = await weft.space('guide', 'Apples');
    await weft.open(page);
    const rows = ui.spaces.getByRole('listitem');
    await page.getByRole('button', { name: 'Actions for Apples' }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Rename' }).click();
    const field = ui.sidebar.getByRole('textbox', { name: 'Rename' });
    await expect(field).toBeFocused();
    await field.fill('Pears');
    await page.keyboard.press('Enter');
    await expect(rows).toContainText('Pears');
    await page.getByRole('heading', { name: 'Pears' }).getByRole('button').click();
    const heading = page.getByRole('main').getByRole('textbox', { name: 'Rename' });
    await heading.fill('Plums');
    await page.keyboard.press('Enter');
    await expect(rows).toContainText('Plums');
    await page.keyboard.press('F2');
    await expect(heading).toBeFocused();
    await heading.fill('Not this');
    await page.keyboard.press('Escape');
    await expect(rows).toContainText('Plums');
    expect((await weft.call('OpenSpace', { spaceId: space.id })).space.title).toBe('Plums');
  });

  test('archives and deletes, and undoes both', async ({ weft, page, ui }) => {
    await weft.space('guide', 'Apples');
    await weft.space('guide', 'Pears');
    await weft.open(page);
    const row = (name: string) => ui.spaces.getByRole('listitem').filter({ hasText: name });
    await row('Apples').hover();
    await page.getByRole('button', { name: 'Actions for Apples' }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Archive' }).click();
    await expect(row('Apples')).toHaveCount(0);
    await ui.notices.getByRole('button', { name: 'Undo' }).click();
    await expect(row('Apples')).toHaveCount(1);

    await row('Pears').hover();
    await page.getByRole('button', { name: 'Actions for Pears' }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Delete' }).click();
    await expect(row('Pears')).toHaveCount(0);
    await expect(ui.notices).toContainText('“Pears” was deleted');
    await ui.notices
      .getByRole('listitem')
      .filter({ hasText: 'Pears' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await expect(row('Pears')).toHaveCount(1);
    await expect(page.getByRole('heading', { name: 'Pears' })).toBeVisible();
  });

  test('keeps archived spaces apart, and brings them back', async ({ weft, page, ui }) => {
    const { id } = await weft.space('guide', 'Old apples');
    await weft.space('guide', 'Pears');
    await weft.call('UpdateSpace', { spaceId: id, archived: true });
    await weft.open(page);
    await expect(ui.spaces.getByRole('listitem')).toHaveText([/Pears/]);
    await ui.sidebar.getByRole('button', { name: 'Archived spaces' }).click();
    const archived = ui.sidebar.getByRole('list', { name: 'Archived spaces' });
    await expect(archived.getByRole('listitem')).toContainText('Old apples');
    await archived.getByRole('listitem').hover();
    await page.getByRole('button', { name: 'Actions for Old apples' }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Unarchive' }).click();
    await expect(archived.getByRole('listitem')).toHaveCount(0);
    await ui.sidebar.getByRole('button', { name: 'Archived spaces' }).click();
    await expect(ui.spaces.getByRole('listitem')).toHaveCount(2);
  });

  test('searches by title', async ({ weft, page, ui }) => {
    for (const title of ['Red apples', 'Green apples', 'Plums']) await weft.space('guide', title);
    await weft.open(page);
    await page.keyboard.press('Control+Shift+O');
    const field = ui.sidebar.getByRole('searchbox', { name: 'Search spaces' });
    await expect(field).toBeFocused();
    await field.fill('app');
    await expect(ui.spaces.getByRole('listitem')).toHaveCount(2);
    await field.fill('app green');
    await expect(ui.spaces.getByRole('listitem')).toHaveCount(1);
    await field.press('Enter');
    await expect(page.getByRole('heading', { name: 'Green apples' })).toBeVisible();
    await field.fill('melon');
    await expect(ui.sidebar).toContainText('No spaces match “melon”.');
    await field.press('Escape');
    await expect(ui.spaces.getByRole('listitem')).toHaveCount(3);
  });

  test('shows which space works, waits, and has failed, and puts the last one first', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('UpdateSpace', { spaceId: space.id, title: 'Apples' });
    await weft.space('guide', 'Pears');
    await weft.open(page);
    const rows = ui.spaces.getByRole('listitem');
    await expect(rows.first()).toContainText('Pears');
    await weft.call('SendPrompt', { spaceId: space.id, text: 'go' });
    const turn = await puppet.turn();
    await expect(rows.first()).toContainText('Apples');
    await expect(rows.first()).toContainText('Working');
    const answer = turn.ask({ toolCallId: 'a', title: 'Do it' });
    await expect(rows.first()).toContainText('Needs your answer');
    await rows.first().getByRole('button').first().click();
    await allow(ui.permissions);
    await answer;
    await expect(rows.first()).toContainText('Working');
    await rows.filter({ hasText: 'Pears' }).getByRole('button').first().click();
    await page.mouse.move(900, 300);
    turn.fail('The model is too busy');
    await expect(rows.first()).toContainText('Failed');
  });
});
