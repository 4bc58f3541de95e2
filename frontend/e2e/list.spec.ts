import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { Space } from '../src/transport/api';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { handIn } from './support/handin';
import { shownMenu } from './support/menu';
import { git, repository } from './support/repository';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import type { Weft } from './support/weft';

/** The lines of the list: groups as they are called, and the titles of spaces. */
const lines = (ui: Screen) =>
  ui.spaces
    .getByRole('listitem')
    .evaluateAll((items) =>
      items.map((item) => item.querySelector('.group-name, .space-title')?.textContent ?? ''),
    );

/** Opens a space in another folder of the home folder. */
async function spaceIn(
  weft: Weft,
  folder: string,
  title: string,
  madeBy?: 'agent' | 'schedule',
): Promise<Space> {
  const path = join(weft.home, folder);
  await mkdir(path, { recursive: true });
  const more = madeBy === undefined ? {} : { madeBy };
  return weft.call('CreateSpace', { agentId: 'guide', folder: path, title, ...more });
}

const row = (ui: Screen, title: string) => ui.spaces.getByRole('listitem').filter({ hasText: title });
const button = (ui: Screen, title: string) => row(ui, title).locator('.space-button, .group-button').first();

test.describe('groups', () => {
  test('are projects: worktrees and folders of a repository together', async ({ weft, page, ui }) => {
    await repository(weft);
    await git(weft, 'worktree', 'add', '--quiet', join(weft.home, 'trees/pears'));
    await weft.space('guide', 'Apples');
    await spaceIn(weft, 'trees/pears', 'Pears');
    await spaceIn(weft, 'orchard/src', 'Plums');
    await weft.open(page);
    // One project is a list.
    expect(await lines(ui)).toEqual(['Plums', 'Pears', 'Apples']);
    await spaceIn(weft, 'cider', 'Press');
    await expect.poll(() => lines(ui)).toEqual(['Press', 'orchard', 'Plums', 'Pears', 'Apples']);
    await ui.picture('list-projects');
    await accessible(page, 'list-1');

    // A closed group says how many are in it, and what waits.
    const group = ui.spaces.getByRole('button', { name: /^orchard/ });
    await group.click();
    await expect(group).toHaveAttribute('aria-expanded', 'false');
    await expect(group).toHaveAccessibleName(/orchard.*3 spaces/);
    await expect.poll(() => lines(ui)).toEqual(['Press', 'orchard']);
    await page.reload();
    await expect.poll(() => lines(ui)).toEqual(['Press', 'orchard']);

    await page.getByRole('button', { name: 'View options' }).click();
    await shownMenu(page).getByRole('menuitemradio', { name: 'Time' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => lines(ui)).toEqual(['Press', 'Plums', 'Pears', 'Apples']);
    await page.getByRole('button', { name: 'View options' }).click();
    await shownMenu(page).getByRole('menuitemradio', { name: 'Name' }).click();
    await ui.picture('list-view-menu');
    await page.keyboard.press('Escape');
    await expect.poll(() => lines(ui)).toEqual(['Apples', 'Pears', 'Plums', 'Press']);
  });

  test('are put in order by hand, with the mouse and by keys', deep, async ({ weft, page, ui }) => {
    await weft.space('guide', 'Apples');
    await weft.space('guide', 'Pears');
    await spaceIn(weft, 'cider', 'Press');
    await spaceIn(weft, 'barn', 'Hay');
    await spaceIn(weft, 'barn', 'Straw');
    await weft.open(page);
    await expect
      .poll(() => lines(ui))
      .toEqual(['barn', 'Straw', 'Hay', 'Press', 'orchard', 'Pears', 'Apples']);
    await button(ui, 'orchard').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await expect
      .poll(() => lines(ui))
      .toEqual(['barn', 'Straw', 'Hay', 'orchard', 'Pears', 'Apples', 'Press']);
    await expect(button(ui, 'orchard')).toBeFocused();
    await drag(page, ui, 'barn', 'Press', 'after');
    const order = ['orchard', 'Pears', 'Apples', 'Press', 'barn', 'Straw', 'Hay'];
    await expect.poll(() => lines(ui)).toEqual(order);
    await page.reload();
    await expect.poll(() => lines(ui)).toEqual(order);
    // A folder with one space is moved by its row.
    await button(ui, 'Press').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await expect
      .poll(() => lines(ui))
      .toEqual(['Press', 'orchard', 'Pears', 'Apples', 'barn', 'Straw', 'Hay']);
    await drag(page, ui, 'Press', 'Hay', 'after');
    await expect
      .poll(() => lines(ui))
      .toEqual(['orchard', 'Pears', 'Apples', 'barn', 'Straw', 'Hay', 'Press']);
  });

  test('keep what agents and schedules have opened apart', deep, async ({ weft, page, ui }) => {
    await weft.space('guide', 'Apples');
    await spaceIn(weft, 'cider', 'Nightly check', 'schedule');
    await spaceIn(weft, 'cider', 'Prices', 'agent');
    await weft.open(page);
    const others = ui.spaces.getByRole('button', { name: '2 opened by agents' });
    await expect(others).toHaveAttribute('aria-expanded', 'false');
    expect(await lines(ui)).toEqual(['Apples', '2 opened by agents']);
    await others.click();
    await expect.poll(() => lines(ui)).toEqual(['Apples', '2 opened by agents', 'Prices', 'Nightly check']);
    await row(ui, 'Prices').hover();
    await page.getByRole('button', { name: 'Actions for Prices' }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Add to my list' }).click();
    await expect.poll(() => lines(ui)).toEqual(['Prices', 'Apples', '1 opened by agents', 'Nightly check']);
  });
});

/** Drags a line to the upper or the lower half of another one. */
async function drag(
  page: Page,
  ui: Screen,
  title: string,
  to: string,
  half: 'before' | 'after',
): Promise<void> {
  const from = await button(ui, title).boundingBox();
  if (from === null) throw new Error(`${title} is not drawn`);
  await page.mouse.move(from.x + 40, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(from.x + 44, from.y + from.height / 2 + 10, { steps: 3 });
  const target = await button(ui, to).boundingBox();
  if (target === null) throw new Error(`${to} is not drawn`);
  const y = target.y + target.height * (half === 'before' ? 0.25 : 0.75);
  await page.mouse.move(target.x + 40, y, { steps: 5 });
  await ui.picture(`list-drag-${title}`);
  await page.mouse.up();
}

test.describe('pins', () => {
  test('are set and moved by keys, and the focus stays', async ({ weft, page, ui }) => {
    for (const title of ['Apples', 'Pears', 'Plums', 'Cherries']) await weft.space('guide', title);
    await weft.open(page);
    await button(ui, 'Pears').focus();
    await page.keyboard.press('p');
    await expect.poll(() => lines(ui)).toEqual(['Pinned', 'Pears', 'orchard', 'Cherries', 'Plums', 'Apples']);
    await expect(button(ui, 'Pears')).toBeFocused();
    for (const _ of [1, 2]) await page.keyboard.press('ArrowDown');
    await expect(button(ui, 'Cherries')).toBeFocused();
    await page.keyboard.press('p');
    await expect.poll(() => lines(ui)).toEqual(['Pinned', 'Pears', 'Cherries', 'orchard', 'Plums', 'Apples']);
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => lines(ui)).toEqual(['Pinned', 'Cherries', 'Pears', 'orchard', 'Plums', 'Apples']);
    await expect(button(ui, 'Cherries')).toBeFocused();
    await ui.picture('list-pins');
    // Into the group's heading, where left closes it.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => lines(ui)).toEqual(['Pinned', 'orchard', 'Plums', 'Apples']);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect(button(ui, 'Cherries')).toBeFocused();
    await page.keyboard.press('p');
    await expect.poll(() => lines(ui)).toEqual(['Pinned', 'Pears', 'orchard', 'Cherries', 'Plums', 'Apples']);
    await expect(button(ui, 'Cherries')).toBeFocused();
  });

  test('are set, moved and unset with the mouse', deep, async ({ weft, page, ui }) => {
    for (const title of ['Apples', 'Pears', 'Plums']) await weft.space('guide', title);
    await weft.open(page);
    const apples = await button(ui, 'Apples').boundingBox();
    if (apples === null) throw new Error('nothing is drawn');
    await page.mouse.move(apples.x + 40, apples.y + 10);
    await page.mouse.down();
    await page.mouse.move(apples.x + 60, apples.y + 30, { steps: 4 });
    await page.getByText('Drop here to pin').hover();
    await ui.picture('list-drop-to-pin');
    await page.mouse.up();
    await expect.poll(() => lines(ui)).toEqual(['Pinned', 'Apples', 'orchard', 'Plums', 'Pears']);
    await drag(page, ui, 'Pears', 'Apples', 'before');
    await expect.poll(() => lines(ui)).toEqual(['Pinned', 'Pears', 'Apples', 'Plums']);
    await drag(page, ui, 'Pears', 'Apples', 'after');
    await expect.poll(() => lines(ui)).toEqual(['Pinned', 'Apples', 'Pears', 'Plums']);
    await drag(page, ui, 'Apples', 'Plums', 'before');
    await expect.poll(() => lines(ui)).toEqual(['Pinned', 'Pears', 'orchard', 'Plums', 'Apples']);
    // What was dragged was not opened.
    await expect(page.getByRole('heading', { name: 'Plums' })).toBeVisible();
  });
});

test('is walked by the arrows and by what is typed', async ({ weft, page, ui }) => {
  for (const title of ['Apples', 'Apricots', 'Plums', 'Cherries']) await weft.space('guide', title);
  await weft.open(page);
  await button(ui, 'Cherries').focus();
  const focused = (title: string) => expect(button(ui, title)).toBeFocused();
  await page.keyboard.press('End');
  await focused('Apples');
  await page.keyboard.press('Home');
  await focused('Cherries');
  await page.keyboard.press('ArrowDown');
  await focused('Plums');
  await page.keyboard.press('a');
  await focused('Apricots');
  await page.keyboard.press('p');
  await page.keyboard.press('p');
  await focused('Apples');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Apples' })).toBeVisible();
  // The Tab key has one stop in the list.
  await button(ui, 'Plums').focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Actions for Plums' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(ui.sidebar.getByRole('button', { name: 'Settings' })).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await focused('Plums');
  await page.keyboard.press('F2');
  await ui.sidebar.getByRole('textbox', { name: 'Rename' }).fill('Prunes');
  await page.keyboard.press('Enter');
  await focused('Prunes');
  // What leaves the list hands the focus on.
  await page.keyboard.press('Delete');
  await expect(button(ui, 'Prunes')).toHaveCount(0);
  await focused('Apricots');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await shownMenu(page).getByRole('menuitem', { name: 'Archive' }).focus();
  await page.keyboard.press('Enter');
  await expect(button(ui, 'Apricots')).toHaveCount(0);
  await focused('Apples');
});

test('has tags: to give, filter by, rename and delete', deep, async ({ weft, page, ui }) => {
  for (const title of ['Apples', 'Pears', 'Plums']) await weft.space('guide', title);
  await weft.open(page);
  await button(ui, 'Pears').focus();
  await page.keyboard.press('t');
  const dialog = page.getByRole('dialog', { name: /^Tags of/ });
  await expect(dialog.getByRole('textbox')).toBeFocused();
  await page.keyboard.type('Release');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('checkbox', { name: /Release/ })).toBeChecked();
  await page.keyboard.type('Later');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('checkbox', { name: /Later/ })).toBeChecked();
  await dialog.getByRole('checkbox', { name: /Later/ }).uncheck();
  await expect(dialog.getByRole('checkbox', { name: /Later/ })).not.toBeChecked();
  await accessible(page, 'list-2');
  await ui.picture('list-tags');
  await page.keyboard.press('Escape');
  await expect(button(ui, 'Pears')).toBeFocused();
  await expect(row(ui, 'Pears')).toContainText('Release');

  await page.getByRole('button', { name: 'View options' }).click();
  await shownMenu(page).getByRole('menuitemcheckbox', { name: 'Release' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => lines(ui)).toEqual(['Pears']);
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'View options' })).toBeFocused();
  await ui.picture('list-tag-filter');

  await ui.command('Manage tags…');
  const manage = page.getByRole('dialog', { name: 'Manage tags' });
  await manage.getByRole('button', { name: 'Edit Release' }).click();
  await manage.getByRole('textbox', { name: 'Name' }).fill('Later');
  await ui.picture('list-tag-edit');
  await manage.getByRole('button', { name: 'Save' }).click();
  await expect(
    manage.getByRole('alert').filter({ hasText: 'A tag named Later already exists.' }),
  ).toBeVisible();
  await manage.getByRole('textbox', { name: 'Name' }).fill('Next release');
  await manage.getByRole('radio', { name: 'Purple' }).check();
  await manage.getByRole('button', { name: 'Save' }).click();
  await expect(manage.getByRole('button', { name: 'Edit Next release' })).toBeFocused();
  await manage.getByRole('button', { name: 'Delete Next release' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => lines(ui)).toEqual(['Plums', 'Pears', 'Apples']);
  await expect(row(ui, 'Pears')).not.toContainText('Next release');
  await ui.notices.getByRole('button', { name: 'Undo' }).click();
  await expect(row(ui, 'Pears')).toContainText('Next release');
});

test(
  'picks several spaces, for something that is done with all of them and undone',
  deep,
  async ({ weft, page, ui }) => {
    for (const title of ['Apples', 'Pears', 'Plums', 'Cherries']) await weft.space('guide', title);
    await weft.open(page);
    await button(ui, 'Plums').click({ modifiers: ['Control'] });
    await button(ui, 'Apples').click({ modifiers: ['Shift'] });
    const bar = ui.sidebar.getByRole('toolbar', { name: 'Selected spaces' });
    await expect(bar).toContainText('3 selected');
    await expect(row(ui, 'Pears')).toContainText('Selected');
    await expect(row(ui, 'Cherries')).not.toContainText('Selected');
    await accessible(page, 'list-3');
    await ui.picture('list-picked');
    await bar.getByRole('button', { name: 'Archive' }).click();
    await expect.poll(() => lines(ui)).toEqual(['Cherries']);
    await expect(bar).toBeHidden();
    await expect(ui.notices).toContainText('3 spaces were archived');
    await ui.notices.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await lines(ui)).length).toBe(4);

    // The same by keys.
    await button(ui, 'Cherries').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await expect(bar).toContainText('2 selected');
    await page.keyboard.press('Escape');
    await expect(bar).toBeHidden();
    await page.keyboard.press('Control+a');
    await expect(bar).toContainText('4 selected');
    await page.keyboard.press('x');
    await expect(bar).toContainText('3 selected');
    const left = await ui.spaces.locator('.space:not([data-picked]) .space-title').allTextContents();
    await page.keyboard.press('Delete');
    await expect.poll(() => lines(ui)).toEqual(left);
    await expect(ui.notices).toContainText('3 spaces were deleted');
    await ui.notices
      .getByRole('listitem')
      .filter({ hasText: 'deleted' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await expect.poll(async () => (await lines(ui)).length).toBe(4);
  },
);

test.describe('drafts', () => {
  test(
    'are there in another window and after a start, with what is attached',
    deep,
    async ({ weft, page, ui, browser }) => {
      const one = await weft.space('guide', 'Apples');
      await weft.space('guide', 'Pears');
      await weft.open(page);
      await button(ui, 'Apples').click();
      await ui.composer.fill('Half a thought');
      await ui.composer.focus();
      await handIn(page, 'paste', [
        { name: 'apple.png', type: 'image/png', draw: { width: 60, height: 40 } },
      ]);
      await expect(page.getByRole('list', { name: 'Attachments' })).toContainText('apple.png');
      await button(ui, 'Pears').click();
      await expect(row(ui, 'Apples')).toContainText('Draft');
      await expect(row(ui, 'Pears')).not.toContainText('Draft');
      await ui.picture('list-draft');
      await expect
        .poll(async () => (await weft.call('Draft', { spaceId: one.id })).parts.map(({ name }) => name))
        .toEqual(['apple.png']);

      await weft.stop();
      await weft.start();
      const context = await browser.newContext();
      const second = await context.newPage();
      await weft.open(second);
      await second.locator('.space-button').filter({ hasText: 'Apples' }).click();
      const composer = second.getByRole('textbox', { name: /^Message / });
      await expect(composer).toHaveValue('Half a thought');
      await expect(second.getByText('apple.png').first()).toBeVisible();
      await context.close();
    },
  );

  test('follow each other in two windows, and not where one types', async ({ weft, page, ui, context }) => {
    await weft.space('guide', 'Apples');
    await weft.open(page);
    await ui.composer.fill('From one');
    const second = await context.newPage();
    await second.goto(weft.url);
    const other = second.getByRole('textbox', { name: /^Message / });
    await expect(other).toHaveValue('From one');
    await other.pressSequentially(' and two');
    await expect(ui.composer).toHaveValue('From one and two');
    await ui.composer.press('Enter');
    await expect(other).toHaveValue('');
    await expect(ui.composer).toHaveValue('');
    await ui.idle();
    await page.reload();
    await expect(ui.composer).toHaveValue('');
  });

  test('are not lost with the page, and not longer than they may be', deep, async ({ weft, page, ui }) => {
    const { id } = await weft.space('guide', 'Apples');
    await weft.open(page);
    await ui.composer.pressSequentially('Half a thought');
    // Before the pause after which it is saved.
    await page.reload();
    await expect(ui.composer).toHaveValue('Half a thought');
    await expect.poll(async () => (await weft.call('Draft', { spaceId: id })).text).toBe('Half a thought');
    await ui.composer.fill('x'.repeat((1 << 20) + 1));
    await expect(ui.notices).toContainText('A draft can have at most 1 MB of text.');
    await ui.composer.fill('Short again');
    await expect.poll(async () => (await weft.call('Draft', { spaceId: id })).text).toBe('Short again');
    // A space that comes back has what was typed in it.
    await ui.command('Delete this space');
    await ui.notices.getByRole('button', { name: 'Undo' }).click();
    await expect(ui.composer).toHaveValue('Short again');
  });

  test(
    'keep the form for a new space, and take over what a browser has kept',
    deep,
    async ({ weft, page, ui }) => {
      const space = await weft.space('guide', 'Apples');
      await spaceIn(weft, 'cider', 'Press');
      await weft.open(page);
      await page.evaluate((id) => localStorage.setItem(`weft.draft.${id}`, 'Typed long ago'), space.id);
      await page.keyboard.press('Control+n');
      const words = page.getByRole('textbox', { name: 'First prompt' });
      await words.fill('Build a press');
      await page.getByRole('button', { name: 'No folder' }).click();
      await expect.poll(async () => (await weft.call('Draft', { spaceId: '' })).start?.noFolder).toBe(true);
      await page.reload();
      await expect(row(ui, 'Apples')).toContainText('Draft');
      await page.keyboard.press('Control+n');
      await expect(words).toHaveValue('Build a press');
      await expect(page.getByRole('button', { name: 'No folder' })).toHaveAttribute('aria-pressed', 'true');
      await button(ui, 'Apples').click();
      await expect(ui.composer).toHaveValue('Typed long ago');
      expect(await page.evaluate((id) => localStorage.getItem(`weft.draft.${id}`), space.id)).toBeNull();
    },
  );
});

test('has room for 2,000 spaces', deep, async ({ weft, page, ui }) => {
  test.setTimeout(120_000);
  const titles = Array.from({ length: 2000 }, (_, i) => `Space ${i + 1}`);
  for (let at = 0; at < titles.length; at += 50)
    await Promise.all(titles.slice(at, at + 50).map((title) => weft.space('guide', title)));
  await weft.open(page);
  await expect(ui.spaces.getByRole('listitem').first()).toHaveAttribute('aria-setsize', '2000');
  expect(await ui.spaces.getByRole('listitem').count()).toBeLessThan(60);
  await ui.spaces.locator('.space-button').first().focus();
  await page.keyboard.press('End');
  const last = ui.spaces.locator('[aria-posinset="2000"] .space-button');
  await expect(last).toBeFocused();
  await page.keyboard.press('Home');
  await expect(ui.spaces.locator('[aria-posinset="1"] .space-button')).toBeFocused();
  await page.keyboard.press('Control+Shift+O');
  await page.keyboard.type('Space 1234');
  await expect.poll(() => lines(ui)).toEqual(['Space 1234']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Space 1234' })).toBeVisible();
});

for (const theme of ['light', 'dark'] as const) {
  test(`looks well in the ${theme} theme, wide and narrow`, deep, async ({ weft, page, ui }) => {
    const tags = await weft.call('SaveTag', { id: '', name: 'Release', tone: 3 });
    await weft.call('SaveTag', { id: '', name: 'Later', tone: 5 });
    const ids = [
      await weft.space('guide', 'Count the apples in the far end of the orchard before winter'),
      await weft.space('guide', 'Pears'),
      await spaceIn(weft, 'cider', 'How many bottles?'),
      await spaceIn(weft, 'cider/press', 'Clean the press'),
      await spaceIn(weft, 'cider', 'Nightly check', 'schedule'),
    ].map(({ id }) => id);
    await weft.call('PinSpaces', { spaceIds: [ids[1] ?? ''], pinned: true });
    await weft.call('TagSpaces', { spaceIds: ids.slice(0, 2), add: (tags.tags ?? []).map(({ id }) => id) });
    await weft.call('SaveDraft', { spaceId: ids[2] ?? '', text: 'Ask about' });
    const appearance = {
      theme,
      density: 'comfortable',
      textScale: 100,
      thoughts: 'in-place',
      language: 'system',
    } as const;
    await weft.call('SaveAppearance', appearance);
    await weft.open(page);
    await expect.poll(() => lines(ui)).toContain('Pinned');
    for (const width of [390, 760, 1720]) {
      await page.setViewportSize({ width, height: 800 });
      if (width < 720) await page.getByRole('button', { name: 'Show or hide the sidebar' }).first().click();
      await expect(ui.sidebar).toBeVisible();
      await ui.picture(`list-${theme}-${width}`);
      await accessible(page, `list-${theme}-${width}`);
    }
    await weft.call('SaveAppearance', { ...appearance, density: 'compact' });
    await expect(page.locator(':root')).toHaveAttribute('data-density', 'compact');
    await ui.picture(`list-${theme}-compact`);
  });
}
