import type { Locator, Page } from '@playwright/test';
import type { Member, Space } from '../src/transport/api';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { handIn } from './support/handin';
import { shownMenu } from './support/menu';
import type { Puppet } from './support/puppet';
import { allow } from './support/requests';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

// Several agents in one space. Robin is there from the start; Wren is put there as "Tester".

interface Pair {
  robin: Puppet;
  wren: Puppet;
  space: Space;
  tester: Member;
}

const model = (name: string) => ({
  options: [
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: 'first',
      options: [
        { value: 'first', name: `${name} one` },
        { value: 'second', name: `${name} two` },
      ],
    },
  ],
  hello: [
    {
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ name: `ask-${name.toLowerCase()}`, description: `Something of ${name}` }],
    },
  ],
});

async function pair(weft: Weft): Promise<Pair> {
  const { puppet: robin, space } = await weft.puppet('Robin', model('Large'));
  const { puppet: wren, agent } = await weft.actor('Wren', model('Small'));
  const both = await weft.call('AddMember', {
    spaceId: space.id,
    name: 'Tester',
    agentId: agent.id,
    role: 'Runs the tests\nand says what fails',
    speaks: 'direct',
    reads: 'all',
  });
  const tester = both.members.find(({ name }) => name === 'Tester');
  if (tester === undefined) throw new Error('The member is not there');
  return { robin, wren, space: both, tester };
}

const strip = (page: Page) => page.getByRole('list', { name: 'Working now' });
const panel = (page: Page) => page.getByRole('region', { name: 'Members', exact: true });
const row = (page: Page, name: string) =>
  panel(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: new RegExp(`^${name}`) }) });
const asked = (page: Page) => page.locator('.recipients');
const prompts = (puppet: Puppet) => puppet.calls.filter((name) => name === 'session/prompt').length;

/** What was said, and by whom. */
const said = async (ui: Screen) => (await ui.lines()).filter((line) => /^(you|agent|text): /.test(line));

async function choose(page: Page, of: Locator, item: string): Promise<void> {
  await of.getByRole('button', { name: /^Actions for / }).click();
  await shownMenu(page).getByRole('menuitem', { name: item }).click();
}

test.describe('members of a space', () => {
  test('are asked with one message, and answer at the same time', async ({ weft, page, ui }) => {
    const { robin, wren } = await pair(weft);
    await weft.open(page);
    await ui.send('@Robin and @Tester, who are you');
    const [one, two] = await Promise.all([robin.turn(), wren.turn()]);
    await expect(strip(page).getByRole('listitem')).toHaveText([/Robin/, /Tester/]);
    one.say('I build ');
    two.say('I test ');
    await expect(ui.text('I build')).toBeVisible();
    await expect(ui.text('I test')).toBeVisible();
    // Both are being written: each has its cursor, and what comes goes into its own.
    await expect(ui.transcript.locator('[data-cursor=true]')).toHaveCount(2);
    one.say('what is ');
    two.say('what was ');
    one.say('wanted.');
    two.say('built.');
    await expect(ui.text('I build what is wanted.')).toBeVisible();
    await expect(ui.text('I test what was built.')).toBeVisible();
    const texts = await said(ui);
    expect(texts[0]).toBe('you: @Robin and @Tester, who are you');
    const of = (name: string) => texts[texts.indexOf(`agent: ${name}`) + 1];
    expect(of('Robin')).toBe('text: I build what is wanted.');
    expect(of('Tester')).toBe('text: I test what was built.');

    // One has ended; the other one works on, and is stopped by itself.
    one.end();
    await expect(strip(page).getByRole('listitem')).toHaveText([/Tester/]);
    await expect(ui.transcript.locator('[data-cursor=true]')).toHaveCount(1);
    await page.getByRole('button', { name: 'Stop Tester' }).click();
    await two.cancelled;
    await ui.idle();
    await expect(strip(page)).toBeHidden();
    const whole = await ui.lines();
    await page.reload();
    await expect(ui.text('I test')).toBeVisible();
    expect(await ui.lines()).toEqual(whole);
  });

  test('stop all together', async ({ weft, page, ui }) => {
    const { robin, wren } = await pair(weft);
    await weft.open(page);
    await ui.send('@Robin @Tester go on');
    const turns = await Promise.all([robin.turn(), wren.turn()]);
    await expect(strip(page).getByRole('listitem')).toHaveCount(2);
    await ui.stop.click();
    await Promise.all(turns.map(({ cancelled }) => cancelled));
    await ui.idle();
  });

  test('that wait for the user are told apart, also by who comes later', async ({ weft, page, ui }) => {
    const { robin, wren } = await pair(weft);
    await weft.open(page);
    await ui.send('@Robin @Tester go on');
    const [one, two] = await Promise.all([robin.turn(), wren.turn()]);
    const first = one.ask({ toolCallId: 'a', title: 'Build it', kind: 'execute' });
    const second = one.ask({ toolCallId: 'b', title: 'Ship it', kind: 'execute' });
    const works = strip(page).getByRole('listitem');
    const waits = works.filter({ hasText: 'Needs your answer' });
    await expect(waits).toHaveText([/Robin/]);
    await page.reload();
    await expect(waits).toHaveText([/Robin/]);
    await expect(works).toHaveCount(2);
    await allow(ui.permissions.first());
    await first;
    await expect(ui.permissions).toHaveCount(1);
    await expect(waits).toHaveText([/Robin/]); // for the other one
    await allow(ui.permissions);
    await second;
    await expect(works).toHaveCount(2);
    await expect(waits).toHaveCount(0);
    one.end();
    two.end();
    await ui.idle();
  });

  test('are offered after an @, before files, and asked alone', async ({ weft, page, ui }) => {
    const { robin, wren } = await pair(weft);
    await weft.open(page);
    const control = page.getByRole('combobox', { name: /^Model: / });
    await expect(asked(page)).toContainText('Robin');
    await expect(control).toHaveText('Large one');
    await ui.composer.fill('please @');
    await expect(page.getByRole('option').first()).toContainText('Robin');
    await ui.composer.fill('please @te');
    await expect(page.getByRole('option').first()).toContainText('Tester');
    await expect(page.getByRole('option').first()).toContainText('Wren · Runs the tests');
    await accessible(page, 'members after an @', 'all');
    await page.keyboard.press('Enter');
    await expect(ui.composer).toHaveValue('please @Tester ');
    await expect(asked(page)).toContainText('Tester');
    await expect(asked(page)).not.toContainText('Robin');
    // What can be chosen is what that one has, and it is set there.
    await expect(control).toHaveText('Small one');
    await control.click();
    await page.getByRole('option', { name: 'Small two' }).click();
    await expect.poll(() => wren.calls).toContain('session/set_config_option');
    await expect(control).toHaveText('Small two');
    expect(robin.calls).not.toContain('session/set_config_option');
    // The default one is asked again where nobody is named.
    await ui.composer.fill('/');
    await expect(page.getByRole('option')).toHaveText([/ask-large/]);
    await ui.composer.fill('');
    await expect(control).toHaveText('Large one');

    await ui.send('look at the tests, @tester.');
    const turn = await wren.turn();
    expect(turn.text).toContain('look at the tests, @tester.');
    turn.say('I look.');
    turn.end();
    await ui.idle();
    expect(prompts(robin)).toBe(0);
    await ui.send('And you');
    const other = await robin.turn();
    other.say('Here.');
    other.end();
    await ui.idle();
    expect(prompts(wren)).toBe(1);
  });

  test('are judged by what each can take, also when a prompt is edited', deep, async ({ weft, page, ui }) => {
    const takes = { initialize: { agentCapabilities: { promptCapabilities: { image: true } } } };
    const { puppet: robin, space } = await weft.puppet('Robin', takes);
    const { puppet: wren, agent } = await weft.actor('Wren');
    const tester = { name: 'Tester', agentId: agent.id, role: '', speaks: 'direct', reads: 'all' } as const;
    await weft.call('AddMember', { spaceId: space.id, ...tester });
    await weft.open(page);
    await ui.composer.fill('Look at this');
    await handIn(page, 'paste', [{ name: 'apple.png', type: 'image/png', draw: { width: 60, height: 40 } }]);
    await ui.composer.press('Enter');
    const turn = await robin.turn();
    turn.say('An apple.');
    turn.end();
    await ui.idle();

    await ui.transcript.locator('.prompt').hover();
    await page.getByRole('button', { name: 'Edit and resend' }).click();
    const editor = page.getByRole('textbox', { name: 'Edit your prompt' });
    const along = page.getByRole('list', { name: 'Attachments' });
    await expect(along).toContainText('apple.png');
    // The default member takes it, the one that is named does not; that is known once its agent runs.
    await editor.fill('@Tester look at this');
    await expect(along).toContainText("Tester doesn't accept images.");
    await editor.press('Enter');
    await expect(ui.notices).toContainText("Remove the attachments that can't be sent");
    await expect(editor).toHaveValue('@Tester look at this');
    await editor.fill('@Robin look again');
    await expect(along).not.toContainText("doesn't accept");
    await editor.fill('@Tester without it');
    await along.getByRole('button', { name: 'Remove apple.png' }).click();
    await editor.press('Enter');
    const other = await wren.turn();
    expect(other.text).toContain('@Tester without it');
    other.end();
    await ui.idle();
    expect(prompts(robin)).toBe(1);
  });

  test('wait in the queue each for itself', deep, async ({ weft, page, ui }) => {
    const { robin, wren } = await pair(weft);
    await weft.open(page);
    await ui.send('@Tester run them');
    const turn = await wren.turn();
    await ui.composer.fill('@Tester then lint');
    await expect(page.getByRole('button', { name: 'Queue for the next turn' })).toBeVisible();
    await ui.composer.press('Enter');
    await expect(ui.queue).toContainText('For Tester');
    await expect(ui.queue).toContainText('@Tester then lint');
    // The other one is free.
    await ui.composer.fill('hello there');
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
    await ui.composer.press('Enter');
    (await robin.turn()).end();
    turn.end();
    expect((await wren.turn()).text).toContain('then lint');
    await expect(ui.queue).toBeHidden();
  });

  test('are added, changed, made the default and removed', deep, async ({ weft, page, ui }) => {
    const { space } = await weft.puppet('Robin');
    const { puppet: wren } = await weft.actor('Wren');
    await weft.open(page);
    await ui.command('Members');
    await expect(panel(page)).toContainText('Add another agent, then ask it with @');
    await expect(row(page, 'Robin')).toContainText('Idle');
    await accessible(page, 'one member', 'all');

    await panel(page).getByRole('button', { name: 'Add an agent' }).click();
    const form = page.getByRole('dialog', { name: 'Add an agent to this space' });
    await form.getByLabel('Agent', { exact: true }).selectOption({ label: 'Wren' });
    await expect(form.getByLabel('Name')).toHaveValue('Wren');
    await form.getByLabel('Name').fill('robin');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(form.getByRole('alert')).toHaveText('Another member already has this name.');
    await form.getByLabel('Name').fill('Tester');
    await form.getByLabel('Role').fill('Runs the tests');
    await accessible(page, 'a new member', 'all');
    await form.getByLabel('Role').press('Tab');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(form).toBeHidden();
    await expect(panel(page).getByRole('button', { name: 'Add an agent' })).toBeFocused();
    await expect(row(page, 'Tester')).toContainText('Runs the tests');
    await expect(row(page, 'Robin')).toContainText('Default');
    await expect(page.getByRole('button', { name: '2 members' })).toBeVisible();

    await choose(page, row(page, 'Tester'), 'Edit');
    const edits = page.getByRole('dialog', { name: 'Edit Tester' });
    await expect(edits.getByLabel('Agent', { exact: true })).toHaveCount(0);
    await edits.getByText('Speaking and reading').click();
    await edits.getByRole('radio', { name: 'Only with a tool' }).check();
    await edits.getByRole('button', { name: 'Save' }).click();
    await expect(row(page, 'Tester')).toContainText('Only with a tool');
    await choose(page, row(page, 'Tester'), 'Make default');
    await expect(row(page, 'Tester')).toContainText('Default');
    await expect(row(page, 'Robin')).not.toContainText('Default');
    await accessible(page, 'two members', 'all');

    // One that works is asked about; what it has written stays.
    await ui.send('go');
    const turn = await wren.turn();
    await expect(row(page, 'Tester')).toContainText('Working');
    await choose(page, row(page, 'Tester'), 'Remove from this space');
    const sure = page.getByRole('dialog', { name: 'Tester is working. Remove it?' });
    await sure.getByRole('button', { name: 'Keep' }).click();
    await expect(sure).toBeHidden();
    await expect(row(page, 'Tester')).toBeVisible();
    await choose(page, row(page, 'Tester'), 'Remove from this space');
    await sure.getByRole('button', { name: 'Stop and remove' }).click();
    await turn.cancelled;
    await expect(row(page, 'Tester')).toBeHidden();
    await expect(row(page, 'Robin')).toBeVisible();
    await choose(page, row(page, 'Robin'), 'Edit');
    await expect(page.getByRole('dialog', { name: 'Edit Robin' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    const [now] = (await weft.call('ListSpaces', { archived: false, query: '' })) ?? [];
    expect(now?.members.map(({ name, default: is }) => [name, is])).toEqual([['Robin', true]]);
    expect(now?.id).toBe(space.id);

    // It comes back as it was.
    await ui.notices.getByRole('button', { name: 'Undo' }).click();
    await expect(row(page, 'Tester')).toContainText('Runs the tests');
    await expect(row(page, 'Tester')).toContainText('Only with a tool');
  });

  test('are seen and changed by keys alone', async ({ weft, page }) => {
    await pair(weft);
    await weft.open(page);
    await page.keyboard.press('Control+Shift+M');
    await expect(panel(page)).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect(row(page, 'Robin').getByRole('button')).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    // The menu closes first, the panel after it.
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menu')).toBeHidden();
    await expect(row(page, 'Tester').getByRole('button')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(panel(page)).toBeHidden();
  });

  test('begin together in a new space, and are kept as a preset', deep, async ({ weft, page, ui }) => {
    await weft.puppet('Robin');
    const { puppet: wren } = await weft.actor('Wren');
    await weft.open(page);
    await page.keyboard.press('Control+n');
    await expect(page.getByRole('list', { name: 'Presets' })).toHaveCount(0);
    await page.getByRole('radio', { name: /^Robin/ }).check();
    await page.getByRole('button', { name: 'Add another agent' }).click();
    const rows = page.getByRole('list', { name: 'Members' }).getByRole('listitem');
    await expect(rows).toHaveCount(2);
    await expect(rows.nth(0).getByLabel('Name')).toHaveValue('Robin');
    await rows.nth(1).getByLabel('Agent', { exact: true }).selectOption({ label: 'Wren' });
    await rows.nth(1).getByLabel('Name').fill('Tester');
    await rows.nth(1).getByLabel('Role').fill('Runs the tests');
    await accessible(page, 'a new space with members', 'all');

    await page.getByRole('button', { name: 'Save as preset' }).click();
    await page.getByRole('textbox', { name: 'Preset name' }).fill('Build and test');
    await page.keyboard.press('Enter');
    const presets = page.getByRole('list', { name: 'Presets' });
    await expect(presets).toContainText('Build and test');
    await page.getByRole('button', { name: 'One agent only' }).click();
    await expect(rows).toHaveCount(0);
    await page.reload();
    await page.getByRole('navigation', { name: 'Spaces and settings' }).waitFor();
    await page.keyboard.press('Control+n');
    await presets.getByRole('button', { name: /^Build and test/ }).click();
    await expect(rows).toHaveCount(2);
    await expect(rows.nth(1).getByLabel('Role')).toHaveValue('Runs the tests');

    // The first words are for whom they name.
    await page.getByRole('textbox', { name: 'First prompt' }).fill('@Tester begin');
    await page.keyboard.press('Enter');
    const turn = await wren.turn();
    expect(turn.text).toContain('@Tester begin');
    turn.say('I begin.');
    turn.end();
    await expect(ui.text('I begin.')).toBeVisible();
    await expect(page.getByRole('button', { name: '2 members' })).toBeVisible();

    await page.keyboard.press('Control+n');
    await presets.getByRole('button', { name: 'Remove preset Build and test' }).click();
    await expect(presets).toHaveCount(0);
    await ui.notices.getByRole('button', { name: 'Undo' }).click();
    await expect(presets).toContainText('Build and test');
  });

  test('a message leads to its run, and the run to its messages', deep, async ({ weft, page, ui }) => {
    const { wren } = await pair(weft);
    await weft.call('UpdateSpace', {
      spaceId: ((await weft.call('ListSpaces', { archived: false, query: '' })) ?? [])[0]?.id ?? '',
      title: 'The orchard',
    });
    await weft.open(page);
    await ui.send('@Tester run them');
    const turn = await wren.turn();
    turn.say('All green.');
    await expect(ui.text('All green.')).toBeVisible();
    await ui.transcript.locator('.head').hover();
    await page.getByRole('button', { name: 'Show the run' }).click();
    const run = page.getByRole('region', { name: 'Run', exact: true });
    await expect(run).toContainText('Working');
    turn.end();
    await expect(run).toContainText('Done');
    await expect(run).toContainText('1 message');
    await accessible(page, 'a run', 'all');
    await weft.space('guide', 'Elsewhere');
    await ui.spaces
      .getByRole('button', { name: /Elsewhere/ })
      .first()
      .click();
    await expect(ui.text('All green.')).toBeHidden();
    await run.getByRole('button', { name: /The orchard/ }).click();
    await expect(ui.text('All green.')).toBeVisible();
  });
});

for (const theme of themes) {
  test(`members in the ${theme}`, deep, async ({ weft, page, ui }) => {
    await page.emulateMedia({ colorScheme: theme });
    const see = async (name: string) => {
      await ui.picture(`${theme}-${name}`);
      await accessible(page, name, theme === 'light' ? 'all' : 'colours');
    };
    const { robin, wren } = await pair(weft);
    await weft.open(page);
    await ui.send('@Robin count the apples, @Tester look whether that is right');
    const [one, two] = await Promise.all([robin.turn(), wren.turn()]);
    one.say('I look at **how apples are counted** first.');
    one.did({ toolCallId: '1', title: 'Read src/apples.js', kind: 'read' });
    two.plan([
      { content: 'Run the tests', status: 'in_progress' },
      { content: 'Say what fails', status: 'pending' },
    ]);
    two.say('I run the tests while you count.');
    await expect(ui.text('I run the tests')).toBeVisible();
    await ui.send('@Tester then lint');
    await ui.composer.fill('hello @te');
    await expect(page.getByRole('option').first()).toContainText('Tester');
    await see('members-completion');
    await page.keyboard.press('Escape');
    await ui.composer.fill('@Tester and @Robin go on');
    await see('members');
    await ui.command('Members');
    await expect(panel(page)).toBeVisible();
    await see('members-panel');
    await page.setViewportSize({ width: 720, height: 800 });
    // No strip of the transcript is left beside it.
    const [side, beside] = await Promise.all([ui.sidebar.boundingBox(), panel(page).boundingBox()]);
    expect(Math.abs((side?.width ?? 0) - (beside?.x ?? 0))).toBeLessThanOrEqual(2);
    await see('members-narrow');
    one.end();
    two.end();
  });
}
