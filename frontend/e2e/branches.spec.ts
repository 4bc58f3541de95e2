import type { Locator, Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { shownMenu } from './support/menu';
import type { Puppet } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';

/** Says something and has it answered. */
async function round(ui: Screen, puppet: Puppet, text: string, answer: string): Promise<string> {
  await ui.send(text);
  const turn = await puppet.turn();
  turn.say(answer);
  turn.end();
  await ui.idle();
  return turn.text;
}

const editor = (page: Page) => page.getByRole('textbox', { name: 'Edit your prompt' });
const prompt = (ui: Screen, text: string) => ui.transcript.locator('.prompt').filter({ hasText: text });
const switcher = (of: Locator) => of.getByRole('group', { name: 'Branches of this prompt' });

/** Goes by Tab to what is wanted. */
async function tabTo(page: Page, wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(async () => {
    await page.keyboard.press(key);
    await expect(wanted).toBeFocused({ timeout: 50 });
  }).toPass({ intervals: [0], timeout: 20_000 });
}

test.describe('branches', () => {
  test('a prompt is edited and sent again in a branch, by keys alone', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin', { manages: true });
    await weft.open(page);
    await round(ui, puppet, 'Which apples are ripe?', 'The red ones.');
    await round(ui, puppet, 'Pick @README.md them', 'Picked five.');
    await round(ui, puppet, 'Make a pie', 'It is in the oven.');
    const whole = await ui.lines();

    // From the composer to the second prompt; E opens it in its place.
    await tabTo(page, prompt(ui, 'Pick'), 'Shift+Tab');
    await page.keyboard.press('e');
    await expect(editor(page)).toBeFocused();
    await expect(editor(page)).toHaveValue('Pick @README.md them');
    await accessible(page, 'a prompt that is edited', 'all');
    await ui.picture('light-edit-prompt');
    await page.keyboard.press('Escape');
    await expect(editor(page)).toBeHidden();
    await expect(prompt(ui, 'Pick')).toBeFocused();
    await page.keyboard.press('e');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Pick the green ones, see @README.md');
    await expect(page.getByRole('listbox')).toBeVisible();
    await page.keyboard.press('Escape'); // the list of files
    await expect(page.getByRole('listbox')).toBeHidden();
    // What is not sent yet is not lost by an Escape too many.
    await page.keyboard.press('Escape');
    await expect(editor(page)).toBeHidden();
    await page.keyboard.press('e');
    await expect(editor(page)).toHaveValue('Pick the green ones, see @README.md');
    await page.keyboard.press('Enter');
    const turn = await puppet.turn();
    // The agent is told what is before, and gets the file again.
    const told = JSON.stringify(turn.blocks);
    expect(told).toContain('Which apples are ripe?');
    expect(told).toContain('The red ones.');
    expect(told).not.toContain('Picked five.');
    expect(told).toContain('README.md');
    expect(turn.text).toMatch(/\n\nPick the green ones, see @README.md$/);
    turn.say('Picked three green ones.');
    turn.end();
    await ui.idle();
    expect(await ui.lines()).toEqual([
      'you: Which apples are ripe?',
      'agent: Robin',
      'text: The red ones.',
      'you: Pick the green ones, see @README.md',
      'agent: Robin',
      'text: A new session was started, and Robin received the conversation so far.',
      'text: Picked three green ones.',
    ]);

    // The tree of spaces in the sidebar, and the way back through the switcher.
    await expect(ui.spaces.getByRole('button', { name: '1 branch of Which apples are ripe?' })).toBeVisible();
    await tabTo(
      page,
      switcher(ui.transcript).getByRole('button', { name: 'Previous branch (2 of 2)' }),
      'Shift+Tab',
    );
    await page.keyboard.press('ArrowLeft');
    await expect(
      switcher(prompt(ui, 'Pick @README.md')).getByRole('button', { name: 'Next branch (1 of 2)' }),
    ).toBeFocused();
    expect((await ui.lines()).filter((line) => !line.startsWith('note'))).toEqual(whole);
    await accessible(page, 'a prompt with branches', 'all');
    await ui.picture('light-branches');
    await page.keyboard.press('Enter');
    await expect(prompt(ui, 'Pick the green ones')).toBeVisible();

    // All of it survives a restart of the page.
    await page.reload();
    await expect(switcher(prompt(ui, 'Pick the green ones'))).toContainText('2 of 2');
  });

  test('what was written into a prompt is there after a look elsewhere', deep, async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet();
    for (const text of ['Plant pears', 'Plant plums']) {
      await weft.call('SendPrompt', { spaceId: space.id, text });
      const turn = await puppet.turn();
      for (let i = 0; i < 40; i++) turn.say(`Row ${i} of trees.\n\n`);
      turn.end();
      await expect.poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs).toEqual([]);
    }
    await weft.open(page);
    await ui.idle();
    const edits = async (text: string) => {
      await ui.transcript.focus();
      await expect(async () => {
        await page.keyboard.press('Alt+ArrowUp');
        await expect(prompt(ui, text)).toBeFocused({ timeout: 500 });
      }).toPass({ timeout: 20_000 });
      await page.keyboard.press('e');
      await expect(editor(page)).toBeFocused();
    };
    const toEnd = async () => {
      await ui.transcript.focus();
      await page.keyboard.press('End');
      await ui.rests();
      await ui.composer.focus();
    };
    await edits('Plant pears');
    await editor(page).fill('Plant cherries');
    // Another prompt is edited instead.
    await toEnd();
    await edits('Plant plums');
    await editor(page).fill('Plant figs');
    await page.keyboard.press('Escape');
    await edits('Plant pears');
    await expect(editor(page)).toHaveValue('Plant cherries');

    // Who went to the end to write, and looks at another space, comes back to where they write.
    await toEnd();
    await expect(editor(page)).not.toBeInViewport();
    await page.keyboard.press('Control+Shift+o');
    await page.keyboard.press('Escape');
    await expect(ui.composer).toBeFocused();
    await page.keyboard.press('Control+n');
    await expect(page.getByRole('heading', { name: 'New space' })).toBeVisible();
    await ui.spaces.getByRole('button', { name: /^Plant pears/ }).click();
    await expect(ui.composer).toBeVisible();
    await ui.rests();
    await expect(editor(page)).not.toBeFocused();
    await ui.transcript.focus();
    await expect(async () => {
      await page.keyboard.press('Home');
      await expect(editor(page)).toBeInViewport({ timeout: 500 });
    }).toPass({ timeout: 20_000 });
    await expect(editor(page)).toHaveValue('Plant cherries');
  });

  test('the tree shows every branch, and what can be done with it', deep, async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin', { manages: true });
    await weft.open(page);
    await round(ui, puppet, 'Plan the garden', 'Three beds.');
    // From an answer, at the end: the agent copies its session and is told nothing.
    await tabTo(page, page.getByRole('button', { name: 'Branch from here' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(ui.composer).toBeFocused();
    await expect.poll(() => puppet.calls.filter((name) => name === 'session/fork').length).toBe(1);
    expect(await round(ui, puppet, 'With roses', 'Roses it is.')).toBe('With roses');
    expect(await ui.lines()).not.toContainEqual(expect.stringContaining('received the conversation'));
    await ui.command('Branch this conversation');
    // The menu of the space before would be closed with it.
    await expect.poll(() => puppet.calls.filter((name) => name === 'session/fork').length).toBe(2);
    await page.getByRole('button', { name: 'More about this space' }).click();
    await shownMenu(page).getByRole('menuitemcheckbox', { name: '3 branches' }).click();
    const tree = page.getByRole('region', { name: 'Branches', exact: true });
    await expect(tree.locator('[aria-current=page]')).toBeFocused();
    await expect(tree.getByRole('listitem').locator('> .branch .branch-text')).toHaveText([
      '2 messages',
      '2 messages',
      'No messages yet',
    ]);
    await accessible(page, 'the tree of branches', 'all');
    await ui.picture('light-branches-tree');
    await page.emulateMedia({ colorScheme: 'dark' });
    await ui.picture('dark-branches-tree');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('F2');
    await page.keyboard.type('The rose branch');
    await page.keyboard.press('Enter');
    await expect(tree.getByText('The rose branch')).toBeVisible();
    // Its parent goes: the branches stay, and are whole.
    await tree.locator('.branch-button').first().focus();
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete “Plan the garden”?' });
    await expect(dialog.getByRole('checkbox', { name: 'Also delete it from Robin' })).not.toBeChecked();
    await accessible(page, 'the question before a space is deleted', 'all');
    await ui.picture('light-delete-space');
    await dialog.getByRole('checkbox').press('Space');
    await tabTo(page, dialog.getByRole('button', { name: 'Delete' }));
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect.poll(() => puppet.calls.includes('session/delete')).toBe(true);
    await expect(tree.locator('.branch-title')).toHaveText(['The rose branch', 'With roses']);
    await tree.locator('.branch-button').first().press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('The rose branch');
    expect((await ui.lines())[0]).toBe('you: Plan the garden');
  });

  test('a prompt can be edited while its answer is being written', deep, async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin');
    await weft.open(page);
    await ui.send('Count the pears');
    const counting = await puppet.turn();
    counting.say('One, two');
    await expect(ui.text('One, two')).toBeVisible();
    await ui.transcript.focus();
    await page.keyboard.press('e');
    await editor(page).fill('Count the plums');
    await page.keyboard.press('Enter');
    const other = await puppet.turn();
    expect(other.text).toBe('Count the plums');
    other.say('Nine.');
    other.end();
    await ui.idle();
    // The run continues where it began.
    counting.say(', three.');
    counting.end();
    await tabTo(page, switcher(ui.transcript).getByRole('button', { name: /Previous/ }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(ui.text('One, two, three.')).toBeVisible();
  });

  test('an agent deletes an earlier conversation that it has kept', deep, async ({ weft, page, ui }) => {
    await weft.puppet('Robin', {
      history: [],
      manages: true,
      earlier: [
        { sessionId: 'c1', cwd: weft.project, title: 'Apples' },
        { sessionId: 'c2', cwd: weft.project, title: 'Pears' },
      ],
    });
    await weft.open(page);
    await page.getByRole('button', { name: 'New space', exact: true }).first().click();
    await page.getByRole('radio', { name: /^Robin/ }).check({ force: true });
    await page.getByRole('button', { name: 'Continue an earlier Robin conversation' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Earlier Robin conversations' });
    await expect(dialog.getByRole('listitem')).toHaveCount(2);
    await dialog.getByRole('button', { name: 'Delete “Apples” from Robin' }).press('Enter');
    const question = dialog.getByRole('alertdialog');
    await expect(question.getByRole('button', { name: 'Keep' })).toBeFocused();
    await accessible(page, 'the question before an agent deletes', 'all');
    await ui.picture('light-earlier-delete');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('listitem')).toHaveText([/Pears/]);
  });
});

test('a branch is called after what changed', deep, async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet('Robin', { manages: true });
  await weft.open(page);
  const text = (fruit: string) =>
    `Plan the orchard for the coming year. Begin with the beds in the south, then plant ${fruit} trees, and say what each of them needs.`;
  await round(ui, puppet, text('apple'), 'Twelve of them.');
  const again = async (to: string) => {
    await prompt(ui, 'Plan the orchard').focus();
    await page.keyboard.press('e');
    await editor(page).fill(to);
    await page.keyboard.press('Enter');
    const turn = await puppet.turn();
    turn.say('Done.');
    turn.end();
    await ui.idle();
  };
  const heading = page.getByRole('heading', { level: 1 });
  await again(text('pear'));
  await expect(heading).toHaveText('…pear…');
  await again(text('pear'));
  await expect(heading).toHaveText('Same prompt, asked again');
  await again(text('pear'));
  await expect(heading).toHaveText('Same prompt, asked again (2)');
  await again(text('pear and 🍑'));
  await expect(heading).toHaveText('…and 🍑…');
  const names = ['…pear…', 'Same prompt, asked again', 'Same prompt, asked again (2)', '…and 🍑…'];
  for (const name of names) await expect(ui.spaces.getByRole('button', { name })).not.toHaveCount(0);
  await page.getByRole('button', { name: 'More about this space' }).click();
  await shownMenu(page).getByRole('menuitemcheckbox', { name: '5 branches' }).click();
  const tree = page.getByRole('region', { name: 'Branches', exact: true });
  await expect(tree.locator('.branch-title')).toHaveText([/^Plan the orchard/, ...names]);
  await accessible(page, 'branches by what changed', 'all');
  await ui.picture('light-branches-named');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 1720, height: 900 });
  await ui.picture('dark-branches-named-1720');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 760, height: 800 });
  await ui.picture('light-branches-named-760');
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(
    switcher(ui.transcript).getByRole('button', { name: 'Previous branch (5 of 5)' }),
  ).toHaveAttribute('title', 'Previous branch: Same prompt, asked again (2)');
  // None is shown as running that has ended.
  await expect(ui.spaces.locator('.mark[data-state=running]')).toHaveCount(0);
  await page.reload();
  await expect(heading).toHaveText('…and 🍑…');
});

test('branches where there is little room', deep, async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet('Robin');
  await weft.open(page);
  await round(
    ui,
    puppet,
    'Which apples are ripe, and which of them may be picked before the first frost comes?',
    'Red.',
  );
  await ui.transcript.focus();
  await page.keyboard.press('e');
  await page.setViewportSize({ width: 760, height: 800 });
  await ui.picture('narrow-edit-prompt');
  await accessible(page, 'a prompt that is edited in little room', 'all');
  await page.keyboard.press('Enter');
  const turn = await puppet.turn();
  turn.say('Yellow.');
  turn.end();
  await ui.idle();
  await expect(switcher(ui.transcript)).toContainText('2 of 2');
  await page.keyboard.press('Control+Shift+B');
  await expect(page.getByRole('region', { name: 'Branches', exact: true })).toBeVisible();
  await ui.picture('narrow-branches');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveCSS('color-scheme', 'dark');
  await accessible(page, 'branches in little room, dark', 'all');
  await ui.picture('narrow-branches-dark');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('region', { name: 'Branches', exact: true })).toBeHidden();
});
