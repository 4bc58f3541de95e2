import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import type { Puppet } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';

const words = (page: Page) => page.getByRole('textbox', { name: 'First prompt' });
const card = (page: Page, name: string) => page.getByRole('region', { name });

/** Counts the clicks that the user makes from now on. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = window as unknown as { clicks: number };
    counted.clicks = 0;
    // A click on a label is followed by one on its control, which nobody makes.
    window.addEventListener('pointerdown', () => counted.clicks++, true);
  });
  return () => page.evaluate(() => (window as unknown as { clicks: number }).clicks);
}

async function answers(puppet: Puppet, ui: Screen): Promise<void> {
  const turn = await puppet.turn();
  turn.say('The apples are ripe.');
  turn.end();
  await expect(ui.text('The apples are ripe.')).toBeVisible();
  await ui.idle();
}

test.describe('the first start', () => {
  test('offers the ways to an agent, the guide and a place to begin', async ({ weft, page, ui }) => {
    await weft.open(page);
    await expect(page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
    await expect(card(page, 'Agents found here')).toContainText('No coding agents were found');
    await expect(page.getByRole('radio')).toHaveCount(1);
    await expect(page.getByRole('radio', { name: /^Try the offline guide/ })).toBeChecked();
    await expect(
      card(page, 'A model with your key').getByRole('button', { name: 'Use a model with your key' }),
    ).toBeVisible();
    await expect(card(page, 'Browse agents').getByRole('button', { name: 'Browse agents' })).toBeVisible();
    await expect(words(page)).toBeFocused();
    await expect(ui.sidebar.getByText('No spaces yet. Send a prompt to create one.')).toBeVisible();
    // The token of the link is gone from the address.
    expect(page.url()).toBe(`${weft.url}/`);
    await accessible(page, 'the first start without an agent');
    await ui.picture('start-none');
  });

  test('preselects an agent that works, and answers after two clicks', async ({ weft, page, ui }) => {
    await weft.script('Broken', 'refuses.mjs');
    const { puppet } = await weft.actor('Robin');
    await weft.open(page);
    const found = card(page, 'Agents found here');
    await expect(found.getByRole('radio')).toHaveCount(3);
    await expect(found.getByRole('radio', { name: /^Broken/ })).toBeChecked();
    // A test shows that it doesn't start.
    await ui.openSettings();
    const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Broken/ }) });
    await row.getByRole('button', { name: 'Test' }).click();
    await expect(row).toContainText('Last error output');
    await page.keyboard.press('Control+n');
    await expect(found.getByRole('radio', { name: /^Robin/ })).toBeChecked();
    await expect(words(page)).toBeFocused();

    const clicks = await countClicks(page);
    await page.getByRole('button', { name: 'Open space' }).click();
    await page.getByRole('button', { name: 'Explain how this project is built' }).click();
    await answers(puppet, ui);
    expect(await clicks()).toBe(2);
  });

  test('answers a prompt of the user in another agent after three clicks', async ({ weft, page, ui }) => {
    await weft.actor('Robin');
    const { puppet } = await weft.actor('Wren');
    await weft.open(page);
    const clicks = await countClicks(page);
    await page.getByText('Wren', { exact: true }).click();
    await words(page).click();
    await page.keyboard.type('How are the apples?');
    await page.getByRole('button', { name: 'Send' }).click();
    await answers(puppet, ui);
    expect(await clicks()).toBe(3);
  });

  test('takes nothing but the keyboard', async ({ weft, page, ui }) => {
    await weft.actor('Robin');
    const { puppet } = await weft.actor('Wren');
    await weft.open(page);
    await expect(words(page)).toBeFocused();
    // All that can be done is reached by Tab, and the agents by arrows.
    const reached: string[] = [];
    const robin = page.getByRole('radio', { name: /^Robin/ });
    for (let n = 0; n < 30 && !(await robin.evaluate((one) => one === document.activeElement)); n++) {
      await page.keyboard.press('Shift+Tab');
      reached.push(
        await page.evaluate(() => document.activeElement?.textContent?.trim().replace(/\s+/g, ' ') ?? ''),
      );
    }
    await expect(robin).toBeFocused();
    for (const name of ['Browse agents', 'Use a model with your key', 'Start with several agents'])
      expect(reached).toContain(name);
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('radio', { name: /^Wren/ })).toBeChecked();
    for (let n = 0; n < 30 && !(await words(page).evaluate((one) => one === document.activeElement)); n++)
      await page.keyboard.press('Tab');
    await page.keyboard.type('How are the apples?');
    await page.keyboard.press('Enter');
    await answers(puppet, ui);
  });

  test('begins with the agent that was just added and tested, though only the guide was used', async ({
    weft,
    page,
    ui,
  }) => {
    await page.setViewportSize({ width: 1280, height: 640 });
    await weft.open(page);
    await page.keyboard.type('hello');
    await page.keyboard.press('Enter');
    // The page of a new space has a button to send, too.
    await expect(ui.transcript.getByRole('heading', { name: 'Guide' })).toBeVisible();
    await ui.idle();
    const { agent } = await weft.actor('Robin');
    await weft.actor('Wren');
    await ui.openSettings();
    const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Robin/ }) });
    await row.getByRole('button', { name: 'Test' }).click();
    // It is below what was clicked, and the button may be at the end of the window.
    await expect(row.locator('.test-line')).toContainText('Works');
    await expect(row.locator('.test-line')).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Control+n');
    await expect(page.getByRole('radio', { name: /^Robin/ })).toBeChecked();

    // In the form it is below many fields; what few need is under More.
    await ui.openSettings();
    await page.getByRole('button', { name: 'Add agent', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Add agent' });
    for (const name of ['Processes', 'Sandbox', 'Model proxy'])
      await expect(form.getByRole('combobox', { name })).toBeHidden();
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Finch');
    await form.getByRole('textbox', { name: 'Command' }).fill(agent.command);
    await form.getByRole('textbox', { name: 'Arguments' }).fill((agent.args ?? []).join(' '));
    await form.getByText('More', { exact: true }).click();
    await expect(form.getByRole('combobox', { name: 'Sandbox' })).toBeVisible();
    await form.getByRole('button', { name: 'Test' }).click();
    await expect(form.locator('.test > *').first()).toBeInViewport();
    await form.getByRole('button', { name: 'Add agent' }).click();
    await expect(form).toBeHidden();
    await page.keyboard.press('Control+n');
    await expect(page.getByRole('radio', { name: /^Finch/ })).toBeChecked();
  });

  test('keeps a team for a second step', async ({ weft, page }) => {
    await weft.actor('Robin');
    await weft.actor('Wren');
    await weft.open(page);
    await expect(page.getByRole('button', { name: 'Add another agent' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Start with several agents' }).click();
    await expect(page.getByRole('list', { name: 'Members' }).getByRole('listitem')).toHaveCount(2);
    await accessible(page, 'the first start with a team');
    await page.getByRole('button', { name: 'One agent only' }).click();
    await expect(page.getByRole('radio', { name: /^Robin/ })).toBeChecked();
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

  test('lets model and mode be chosen before the first prompt is sent', async ({ weft, page, ui }) => {
    const model = {
      ...{ id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: 'small' },
      options: [
        { value: 'small', name: 'Small' },
        { value: 'large', name: 'Large' },
      ],
    };
    const { puppet } = await weft.actor('Robin', { options: [model] });
    await weft.open(page);
    await page.keyboard.type('How are the apples?');
    await page.getByRole('button', { name: 'Model and mode…' }).click();
    await expect(ui.composer).toHaveValue('How are the apples?');
    const control = page.getByRole('combobox', { name: /^Model: / });
    await expect(control).toContainText('Small');
    await control.click();
    await page.getByRole('option', { name: 'Large' }).click();
    await expect(control).toContainText('Large');
    await ui.composer.press('Enter');
    const turn = await puppet.turn();
    expect(turn.text).toBe('How are the apples?');
    turn.say('Ripe.');
    turn.end();
    await ui.idle();
  });

  test('makes no space of an empty prompt', async ({ weft, page, ui }) => {
    await weft.open(page);
    await expect(words(page)).toBeFocused();
    await page.keyboard.press('Enter');
    await page.keyboard.type('   ');
    await page.keyboard.press('Enter');
    await ui.frames(10);
    expect(await weft.call('ListSpaces', { archived: false, query: '' })).toEqual([]);
    await expect(words(page)).toBeFocused();
    await page.keyboard.type('hello, what can you do?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(ui.transcript).toContainText('Here is what I can do in this folder');
  });

  test('finds a folder while its name is typed, and offers those that were used', async ({ weft, page }) => {
    for (const name of ['apples', 'apricots', 'pears', '.hidden'])
      await mkdir(join(weft.home, 'fields', name), { recursive: true });
    await weft.space('guide', 'Here');
    await weft.open(page);
    await page.keyboard.press('Control+n');
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a folder' });
    const field = dialog.getByRole('textbox', { name: 'Path' });
    const folders = dialog.getByRole('list', { name: 'Subfolders' }).getByRole('listitem');
    await field.fill('~/fields/');
    await expect(folders).toHaveText(['Parent folder', 'apples', 'apricots', 'pears']);
    await field.pressSequentially('ap');
    await expect(folders).toHaveText(['apples', 'apricots']);
    await expect(field).toHaveValue('~/fields/ap');
    await field.pressSequentially('r');
    await expect(folders).toHaveText(['apricots']);
    await page.keyboard.press('Enter');
    await expect(field).toHaveValue(join(weft.home, 'fields', 'apricots'));
    await expect(folders.filter({ hasText: 'No subfolders.' })).toHaveCount(1);
    // Without a slash it is looked for in the folder that is shown.
    await dialog.getByRole('button', { name: 'Parent folder' }).click();
    await expect(folders).toHaveText(['Parent folder', 'apples', 'apricots', 'pears']);
    await field.fill('pear');
    await expect(folders).toHaveText(['pears']);
    await field.fill('melon');
    await expect(folders).toHaveText(['No matching folders.']);
    await field.fill('.h');
    await expect(folders).toHaveText(['.hidden']);
    await field.fill('');
    const recent = dialog.getByRole('list', { name: 'Recent folders' });
    await recent.getByRole('button', { name: '~/orchard' }).click();
    await expect(field).toHaveValue(weft.project);
    await dialog.getByRole('button', { name: 'Choose this folder' }).click();
    await expect(page.getByRole('button', { name: /Change$/ })).toContainText('~/orchard');
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

  for (const scheme of themes)
    for (const width of [760, 1720])
      test(`looks right in the ${scheme} at ${width}`, deep, async ({ weft, page, ui }) => {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 900 });
        await weft.actor('Robin');
        await weft.actor('Wren');
        await weft.open(page);
        await expect(page.getByRole('radio', { name: /^Robin/ })).toBeChecked();
        await expect(page.getByRole('button', { name: 'Open space' })).toBeInViewport();
        await accessible(page, `the first start in the ${scheme}`);
        await ui.picture(`start-${scheme}-${width}`);
      });
});

test.describe('a further space', () => {
  test('begins with the agent and the folder that were used last, also after a reload', async ({
    weft,
    page,
    ui,
  }) => {
    const { space } = await weft.puppet('Robin');
    const { agent, puppet } = await weft.actor('Wren');
    await weft.open(page);
    await page.keyboard.press('Control+n');
    await page.getByText('Wren', { exact: true }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a folder' });
    await dialog.getByRole('textbox', { name: 'Path' }).fill(join(weft.project, 'src'));
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('list', { name: 'Subfolders' })).toContainText('No subfolders.');
    await dialog.getByRole('button', { name: 'Choose this folder' }).click();
    await words(page).fill('How are the apples?');
    await page.keyboard.press('Enter');
    await answers(puppet, ui);
    // Another space is the last one that something happened in.
    await weft.call('UpdateSpace', { spaceId: space.id, title: 'Pears' });
    await page.reload();
    await ui.sidebar.waitFor({ state: 'attached' });
    await page.keyboard.press('Control+n');
    await expect(page.getByRole('radio', { name: /^Wren/ })).toBeChecked();
    const folder = page.getByRole('button', { name: /Change$/ });
    await expect(folder).toContainText('~/orchard/src');
    await expect(page.getByRole('status').filter({ hasText: 'is selected' })).toHaveCount(0);

    // Both are gone by the next time.
    await rename(join(weft.project, 'src'), join(weft.project, 'source'));
    await weft.call('RemoveAgent', { agentId: agent.id });
    await page.reload();
    await ui.sidebar.waitFor({ state: 'attached' });
    await page.keyboard.press('Control+n');
    await expect(page.getByText('Wren is no longer available, so Robin is selected.')).toBeVisible();
    await expect(page.getByRole('radio', { name: /^Robin/ })).toBeChecked();
    await expect(page.getByText("~/orchard/src can't be opened anymore")).toBeVisible();
    await expect(folder).toContainText('~/orchard');
    await accessible(page, 'a new space whose agent and folder are gone');
    await ui.picture('start-gone');
    // Whoever chooses is not told any longer.
    await page.getByText('Guide', { exact: true }).click();
    await expect(page.getByText('is no longer available')).toHaveCount(0);
  });
});
