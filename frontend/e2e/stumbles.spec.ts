import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shownMenu } from './support/menu';
import { repository } from './support/repository';
import { armed, clickAnswer, openMenu } from './support/requests';
import { expect, test } from './support/test';

// What stood in the way of people who used Weft for the first time.

test('leaves who has gone to the settings there, while the first prompt makes its space', async ({
  weft,
  page,
  ui,
}) => {
  await weft.open(page);
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route('**/api/CreateSpace', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('textbox', { name: 'First prompt' }).fill('hello');
  await page.keyboard.press('Enter');
  await ui.openSettings();
  go();
  await expect(ui.spaces.getByRole('listitem')).toHaveCount(1);
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  // The prompt is sent where it was meant to be.
  await ui.spaces.getByRole('listitem').getByRole('button').first().click();
  await expect(ui.transcript.locator('.prompt')).toContainText('hello');
});

for (const { width, stays } of [
  { width: 390, stays: false },
  { width: 1280, stays: true },
])
  test(`${stays ? 'keeps' : 'closes'} a panel where another space is entered, at ${width} px`, async ({
    weft,
    page,
    ui,
  }) => {
    await weft.space('guide', 'Apples');
    await weft.space('guide', 'Pears');
    await weft.open(page);
    for (const [key, panel] of [
      ['Control+Shift+R', ui.changes],
      ['Control+Shift+L', ui.log],
    ] as const) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await ui.spaces.getByRole('button', { name: /^Apples/ }).click();
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width, height: 800 });
      await page.keyboard.press(key);
      await expect(panel).toBeVisible();
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: /Pears/ }).click();
      await expect(page.getByRole('heading', { name: 'Pears' })).toBeVisible();
      if (stays) {
        await expect(panel).toBeVisible();
        await page.keyboard.press(key);
      }
      await expect(panel).toBeHidden();
    }
  });

test('offers what can be done with a space in its header, also where there is no room for the sidebar', async ({
  weft,
  page,
  ui,
}) => {
  await weft.space('guide', 'Apples');
  await weft.space('guide', 'Pears');
  await weft.open(page);
  await ui.spaces.getByRole('button', { name: /^Apples/ }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'More about this space' }).click();
    await shownMenu(page).getByRole('menuitem', { name }).click();
  };
  const field = page.getByRole('main').getByRole('textbox', { name: 'Rename' });
  await choose('Rename');
  await expect(field).toBeFocused();
  await page.keyboard.type('Plums');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Plums' })).toBeVisible();
  await page.keyboard.press('F2');
  await expect(field).toBeFocused();
  await page.keyboard.press('Escape');
  await ui.command('Rename this space');
  await expect(field).toBeFocused();
  await page.keyboard.press('Escape');
  await choose('Export');
  await expect(page.getByRole('dialog', { name: /Export/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await choose('Archive');
  await expect(page.getByRole('heading', { name: 'Pears' })).toBeVisible();
});

test('shows all keys from the inbox, too', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  const map = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  const opens = async (where: string) => {
    for (const key of ['?', 'Control+/']) {
      await page.keyboard.press(key);
      await expect(map, `${key} in ${where}`).toBeVisible({ timeout: 5000 });
      await page.keyboard.press('Escape');
      await expect(map).toBeHidden();
    }
  };
  await page.getByRole('heading', { level: 1 }).first().getByRole('button').focus();
  await opens('a space');
  await page.keyboard.press('Control+j');
  await expect(page.getByRole('heading', { name: 'Inbox', level: 1 })).toBeVisible();
  await opens('the empty inbox');
  await page.keyboard.press('Escape');
  await ui.send('hello');
  const turn = await puppet.turn();
  turn.say('Done.');
  turn.end();
  await ui.idle();
  await weft.call('SendPrompt', {
    spaceId: (await weft.space('guide', 'Pears')).id,
    text: 'hello',
  });
  await ui.openSettings();
  await page.keyboard.press('Control+j');
  await expect(page.getByRole('listbox', { name: 'Inbox items' })).toBeFocused();
  await opens('the inbox');
  await page.keyboard.press('ArrowRight');
  await opens('the details of an entry');
});

test('offers a command of one’s own where no agent was found', async ({ weft, page }) => {
  await weft.open(page);
  await page.getByRole('button', { name: 'Use another command…' }).click();
  const form = page.getByRole('dialog', { name: 'Add agent' });
  await expect(form.getByRole('textbox', { name: /^Command/ })).toBeVisible();
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Robin');
  await form.getByRole('textbox', { name: /^Command/ }).fill('no-such-agent');
  await form.getByRole('button', { name: 'Add agent' }).click();
  await expect(form.getByRole('alert')).toContainText("no-such-agent wasn't found on PATH.");
  await expect(form.getByRole('button', { name: 'Save anyway' })).toBeInViewport({ ratio: 1 });
  await form.getByRole('textbox', { name: /^Command/ }).fill(process.execPath);
  await expect(form.getByRole('alert')).toHaveCount(0);
  await form.getByRole('button', { name: 'Add agent' }).click();
  await expect(form).toBeHidden();
  await expect(page.getByRole('radio', { name: /^Robin/ })).toBeChecked();
});

test('saves a command that is not there only where it is meant', async ({ weft, page, ui }) => {
  await weft.open(page);
  await ui.openSettings();
  await page.getByRole('button', { name: 'Add agent' }).click();
  const form = page.getByRole('dialog', { name: 'Add agent' });
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Robin');
  for (const [command, sentence] of [
    ['bin/robin', 'bin/robin is a relative path.'],
    ['/no/robin', "/no/robin doesn't exist."],
    [weft.home, `${weft.home} is a folder.`],
    ['robin', "robin wasn't found on PATH."],
  ] as const) {
    await form.getByRole('textbox', { name: /^Command/ }).fill(command);
    await form.getByRole('button', { name: 'Add agent' }).click();
    await expect(form.getByRole('alert')).toContainText(sentence);
    const { agents } = await weft.call('Bootstrap', { spaceId: '' });
    expect((agents ?? []).map(({ name }) => name)).not.toContain('Robin');
  }
  await form.getByRole('button', { name: 'Save anyway' }).click();
  await expect(form).toBeHidden();
  await expect(page.getByRole('heading', { name: /^Robin/ })).toBeVisible();
});

test('says Commit where there is room', async ({ weft, page, ui }) => {
  await weft.trust();
  await repository(weft);
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Add the first row');
  const turn = await puppet.turn();
  await turn.write(join(weft.project, 'one.txt'), 'row\n');
  turn.end();
  await ui.idle();
  await page.keyboard.press('Control+Shift+R');
  await expect(ui.changes).toBeFocused();
  const commit = ui.changes.getByRole('button', { name: /^Commit/ });
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(commit.getByText('Commit')).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(commit).toBeVisible();
  await expect(commit.getByText('Commit')).toBeHidden();
});

test('never proposes why something was rejected as the message of a commit', async ({ weft, page, ui }) => {
  await repository(weft);
  const { puppet } = await weft.puppet();
  await weft.open(page);
  const proposed = async (turns: number) => {
    // Below a turn stands what it changed as soon as that was looked for, after its end.
    const buttons = page.getByRole('button', { name: 'Commit…' });
    await expect(buttons).toHaveCount(turns);
    await buttons.last().click();
    const dialog = page.getByRole('dialog', { name: 'Commit accepted changes' });
    const accept = dialog.getByRole('button', { name: /^Accept / });
    const message = dialog.getByRole('textbox', { name: 'Message' });
    await expect(accept.or(message)).toBeVisible();
    if (await accept.isVisible()) await accept.click();
    const text = await message.inputValue();
    return { dialog, text };
  };
  await ui.send('Count the rows');
  const turn = await puppet.turn();
  const answer = turn.ask({ toolCallId: 'one', title: 'make count', kind: 'execute' });
  const menu = await openMenu(ui.permissions, 'Reject');
  await clickAnswer(menu, menu.getByRole('menuitem', { name: 'Reject and say why…' }));
  await page.keyboard.type('Not so, count by hand');
  await armed(ui.permissions);
  await page.keyboard.press('Enter');
  await answer;
  const coming = puppet.turn();
  turn.end();
  const next = await coming;
  await writeFile(join(weft.project, 'count.txt'), '30\n');
  next.end();
  await ui.idle();
  const first = await proposed(1);
  expect(first.text).toBe('Count the rows');
  await first.dialog.getByRole('button', { name: 'Commit 1 file' }).click();
  await expect(first.dialog).toBeHidden();
  // What is committed is over: the next message is about what came since.
  await ui.send('Count the columns, too');
  const last = await puppet.turn();
  await writeFile(join(weft.project, 'count.txt'), '30\n12\n');
  last.end();
  await ui.idle();
  expect((await proposed(2)).text).toBe('Count the columns, too');
});
