import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { linkTo } from '../../src/state/link';
import type { Space } from '../../src/transport/api';
import { shownMenu } from '../support/menu';
import { chunk, type Puppet } from '../support/puppet';
import type { Screen } from '../support/screen';
import { expect, test } from '../support/test';
import { Versions } from '../support/versions';
import { Walk } from '../support/walk';
import { Weft } from '../support/weft';

// What is kept, without a mouse: found, gone through, linked to, taken out, put in order, brought in, backed up. Every step is a key, and the
// focus is somewhere sensible after it.

async function talk(weft: Weft, puppet: Puppet, space: Space, prompts: readonly string[]): Promise<void> {
  for (const [n, text] of prompts.entries()) {
    await weft.call('SendPrompt', { spaceId: space.id, text });
    const turn = await puppet.turn();
    turn.updates(Array.from({ length: 20 }, (_, i) => chunk(`Line ${n}.${i} of the harvest.\n\n`)));
    turn.did({
      ...{ toolCallId: `edit${n}`, title: `Edit row-${n}.txt`, kind: 'edit' },
      locations: [{ path: join(weft.project, `row-${n}.txt`) }],
    });
    turn.say('Done.');
    turn.end();
    await expect.poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs).toEqual([]);
  }
}

/** Conversations that Claude Code has kept, so many that an import of them can be canceled, and one of Codex. */
async function keepConversations(weft: Weft, many: number): Promise<void> {
  const claude = join(weft.home, '.claude', 'projects', '-orchard');
  await mkdir(claude, { recursive: true });
  const said = (n: number, m: number, role: string, content: unknown) =>
    JSON.stringify({
      ...{ parentUuid: m === 1 ? null : `${n}-${m - 1}`, isSidechain: false, type: role, uuid: `${n}-${m}` },
      ...{ message: { id: `${m}`, role, content }, timestamp: `2026-03-01T09:0${m}:00.000Z` },
      ...{ cwd: weft.project, sessionId: `s${n}`, version: '2.1.0' },
    });
  for (let n = 0; n < many; n++) {
    const answer = [{ type: 'text', text: 'Ripe.' }];
    const lines = [said(n, 1, 'user', `How ripe is pear ${n}?`), said(n, 2, 'assistant', answer)];
    await writeFile(join(claude, `s${n}.jsonl`), `${lines.join('\n')}\n`);
  }
  const codex = join(weft.home, '.codex', 'sessions', '2026', '03', '02');
  await mkdir(codex, { recursive: true });
  const timestamp = '2026-03-02T09:00:00.000Z';
  const id = '00000000-0000-4000-8000-000000000008';
  const words = (role: string, type: string, text: string) =>
    JSON.stringify({
      ...{ timestamp, type: 'response_item' },
      payload: { type: 'message', role, content: [{ type, text }] },
    });
  const lines = [
    JSON.stringify({ timestamp, type: 'session_meta', payload: { id, cwd: weft.project, timestamp } }),
    words('user', 'input_text', 'Count the baskets'),
    words('assistant', 'output_text', 'Four baskets.'),
  ];
  await writeFile(join(codex, `rollout-2026-03-02T09-00-00-${id}.jsonl`), `${lines.join('\n')}\n`);
}

const marked = (page: Page) =>
  page.evaluate(() => [...(CSS.highlights.get('find-now') ?? [])].map((range) => range.toString()));

async function search({ page, ui, walk }: Walking): Promise<void> {
  const { press, type, expectFocus } = walk;
  const field = page.getByRole('combobox', { name: 'Search everywhere' });
  const hits = page.getByRole('listbox', { name: 'Results' }).getByRole('option');
  const preview = page.getByRole('region', { name: 'Preview' });
  await press('Control+Shift+f');
  await expectFocus(field);
  await walk.readKeys();
  await expectFocus(field);
  await type('harvest kind:prompt');
  await expect(hits).toHaveCount(2);
  await walk.picture('search results');
  await press('ArrowDown');
  await expect(hits.nth(1)).toHaveAttribute('aria-selected', 'true');
  await expect(preview.locator('mark').first()).toHaveText('harvest');
  // The filter is a chip; who takes it out continues to type.
  await walk.until(page.getByRole('button', { name: 'Remove the filter kind:prompt' }), 'Tab');
  await press('Enter');
  await expectFocus(field);
  await expect(field).toHaveValue('harvest');
  const filter = page.getByRole('button', { name: 'Filter', exact: true });
  await walk.until(filter, 'Tab');
  await press('Enter');
  await expect(shownMenu(page)).toBeVisible();
  await press('ArrowDown');
  await press('Enter');
  await expect(field).toHaveValue(/kind:answer/);
  await expectFocus(filter);
  await walk.until(field, 'Shift+Tab');
  await expect(hits.first()).toContainText('of the harvest');
  // Its text is read by keys, too.
  await walk.until(preview.getByRole('region', { name: 'Text of the result' }), 'Tab');
  await press('Control+Shift+f');
  await expectFocus(field);
  await press('Enter');
  await expect.poll(() => marked(page)).toEqual(['harvest']);
  await expect(ui.transcript.locator(':focus')).toBeVisible();
  await walk.isSomewhere();
  // Back to the same results, and out.
  await press('Control+Shift+f');
  await expectFocus(field);
  await expect(field).toHaveValue(/kind:answer/);
  await press('Escape');
  await expect(ui.transcript).toBeVisible();
  await expectFocus(ui.composer);
}

async function find({ page, ui, walk }: Walking): Promise<void> {
  const { press, type, expectFocus } = walk;
  const bar = page.getByRole('search', { name: 'Find in this conversation' });
  const field = bar.getByRole('textbox');
  await press('Control+f');
  await expectFocus(field);
  await walk.readKeys();
  await type('of the harvest');
  await expect(bar.getByRole('status')).toHaveText(/ of 40$/);
  await press('Enter');
  await press('F3');
  await press('Shift+F3');
  await expectFocus(field);
  // Its buttons do the same, and Escape leads out of them as out of the field.
  await press('Tab');
  await press('Enter');
  await expectFocus(bar.getByRole('button', { name: /^Previous match/ }));
  await press('Escape');
  await expect(bar).toBeHidden();
  await expect(ui.transcript.locator(':focus')).toBeVisible();
  // Again, from the place that was found: the way back leads there.
  await press('Control+f');
  await expectFocus(field);
  await press('Escape');
  await expect(bar).toBeHidden();
  await walk.isSomewhere();
  await press('/');
  await expectFocus(ui.composer);
}

/** Escape in the bar is for the bar: it stops no agent. */
async function findWhileWorking({ page, ui, walk, puppet }: Way): Promise<void> {
  const { press, type, expectFocus } = walk;
  await type('Prune the trees');
  await press('Enter');
  const turn = await puppet.turn();
  turn.say('One tree.');
  await expect(ui.text('One tree.')).toBeVisible();
  const bar = page.getByRole('search', { name: 'Find in this conversation' });
  for (const stop of [1, 2, 3]) {
    await press('Control+f');
    await expectFocus(bar.getByRole('textbox'));
    for (let i = 0; i < stop; i++) await press('Tab');
    await press('Escape');
    await expect(bar).toBeHidden();
    await expectFocus(ui.composer);
  }
  turn.say(' Two trees.');
  turn.end();
  await expect(ui.text('One tree. Two trees.')).toBeVisible();
  await ui.idle();
}

const prompt = (ui: Screen, text: string) => ui.transcript.locator('.prompt').filter({ hasText: text });

async function outline({ page, ui, walk }: Walking): Promise<void> {
  const { press, expectFocus } = walk;
  const panel = page.getByRole('region', { name: 'Outline' });
  const list = panel.getByRole('listbox', { name: 'Outline' });
  const entries = list.getByRole('option');
  await press('Control+Shift+g');
  await expectFocus(list);
  // A filter, and back to what it leaves.
  const files = panel.getByRole('button', { name: 'Files' });
  await walk.until(files, 'Shift+Tab');
  await press('Space');
  await expect(files).toHaveAttribute('aria-pressed', 'true');
  await expect(entries).toHaveCount(2);
  await expectFocus(files);
  await press('Space');
  await walk.until(list, 'Tab');
  await press('Home');
  await expect(entries.first()).toHaveAttribute('aria-selected', 'true');
  await press('Enter');
  await expectFocus(prompt(ui, 'Begin the harvest'));
  await press('Control+Shift+g');
  await expect(panel).toBeHidden();
  await expectFocus(prompt(ui, 'Begin the harvest'));
  // The rail has the same for the mouse, and is no stop.
  await expect(page.locator('.rail-tick').first()).toBeVisible();
  await expect(page.locator('.rail-tick:not([tabindex="-1"])')).toHaveCount(0);
}

async function link({ page, ui, walk, puppet, space }: Way): Promise<void> {
  const { press, type, expectFocus } = walk;
  await press('y');
  await expect(ui.notices).toContainText('Link copied');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.startsWith(linkTo(space.id))).toBe(true);
  await expectFocus(prompt(ui, 'Begin the harvest'));
  // It is written to an agent in another space, which answers with it.
  await press('Control+k');
  await type('pears');
  await expect(ui.palette.getByRole('option', { selected: true })).toContainText('Pears');
  await press('Enter');
  await expectFocus(ui.composer);
  await press('Control+v');
  await expect(ui.composer).toHaveValue(copied);
  await press('Enter');
  const turn = await puppet.turn();
  turn.say(`It is [there](${copied}).`);
  turn.end();
  await ui.idle();
  await walk.until(ui.transcript.getByRole('link', { name: 'there' }), 'Shift+Tab');
  await press('Enter');
  await expectFocus(prompt(ui, 'Begin the harvest'));
  await press('Alt+ArrowLeft');
  await expect(ui.transcript.getByRole('link', { name: 'there' })).toBeVisible();
  await walk.isSomewhere();
  await press('Alt+ArrowRight');
  await expectFocus(prompt(ui, 'Begin the harvest'));
}

async function exported({ page, ui, walk }: Walking): Promise<void> {
  const { press, type, expectFocus } = walk;
  const dialog = page.getByRole('dialog', { name: 'Export conversation' });
  const from = prompt(ui, 'Begin the harvest');
  await press('Control+k');
  await type('Export conversation');
  await press('Enter');
  const markdown = dialog.getByRole('radio', { name: 'Markdown' });
  await expectFocus(markdown);
  await press('ArrowDown');
  await press('ArrowDown');
  await expectFocus(dialog.getByRole('radio', { name: 'JSON', exact: true }));
  const save = dialog.getByRole('button', { name: 'Export', exact: true });
  await walk.until(save, 'Tab');
  const download = page.waitForEvent('download');
  await press('Enter');
  expect((await download).suggestedFilename()).toMatch(/\.json$/);
  await expect(dialog.getByRole('status')).toContainText('Downloaded');
  await expectFocus(save);
  // Enter in a choice is enough, and leaves the focus there.
  await walk.until(dialog.getByRole('checkbox', { name: 'Agent thoughts' }), 'Shift+Tab');
  const again = page.waitForEvent('download');
  await press('Enter');
  await again;
  await expectFocus(dialog.getByRole('checkbox', { name: 'Agent thoughts' }));
  await press('Escape');
  await expect(dialog).toBeHidden();
  await expectFocus(from);
  // By the menu of the space, which has it back.
  await press('Control+Shift+o');
  await press('ArrowDown');
  await press('ArrowDown');
  await press('Tab');
  const more = ui.sidebar.getByRole('button', { name: /^Actions for / }).and(page.locator(':focus'));
  await expect(more).toBeVisible();
  await press('Enter');
  await walk.until(shownMenu(page).getByRole('menuitem', { name: 'Export' }), 'ArrowDown');
  await press('Enter');
  await expectFocus(markdown);
  await press('Escape');
  await expect(dialog).toBeHidden();
  await expect(more).toBeVisible();
  await walk.isSomewhere();
}

async function list({ page, ui, walk }: Walking): Promise<void> {
  const { press, type, expectFocus } = walk;
  const button = (title: string) =>
    ui.spaces
      .getByRole('listitem')
      .filter({ hasText: title })
      .locator('.space-button, .group-button')
      .first();
  const lines = () =>
    ui.spaces
      .getByRole('listitem')
      .evaluateAll((items) =>
        items.map((one) => one.querySelector('.group-name, .space-title')?.textContent),
      );
  const found = ui.sidebar.getByRole('searchbox', { name: 'Search spaces' });
  await press('Control+Shift+o');
  await expectFocus(found);
  await press('ArrowDown');
  await walk.until(button('Apples'), 'ArrowDown');
  await press('p');
  await expect.poll(lines).toEqual(['Pinned', 'Apples', 'orchard', 'Pears', 'Harvest']);
  await expectFocus(button('Apples'));
  await walk.until(button('Pears'), 'ArrowDown');
  await press('p');
  await expect.poll(lines).toEqual(['Pinned', 'Apples', 'Pears', 'Harvest']);
  await press('Alt+ArrowUp');
  await expect.poll(lines).toEqual(['Pinned', 'Pears', 'Apples', 'Harvest']);
  await expectFocus(button('Pears'));
  await press('t');
  const tags = page.getByRole('dialog', { name: /^Tags of/ });
  await expectFocus(tags.getByRole('textbox'));
  await type('Autumn');
  await press('Enter');
  await expect(tags.getByRole('checkbox', { name: /Autumn/ })).toBeChecked();
  await press('Escape');
  await expectFocus(button('Pears'));
  await press('F2');
  await expectFocus(ui.sidebar.getByRole('textbox', { name: 'Rename' }));
  await press('Control+a');
  await type('Quinces');
  await press('Enter');
  await expectFocus(button('Quinces'));
  // The group is closed and opened, and several are archived together: the list keeps the focus.
  await press('ArrowLeft');
  await press('ArrowLeft');
  await expect.poll(lines).toEqual(['Pinned', 'Harvest']);
  await press('ArrowRight');
  await walk.until(button('Apples'), 'ArrowDown');
  await press('x');
  const bar = ui.sidebar.getByRole('toolbar', { name: 'Selected spaces' });
  await walk.until(bar.getByRole('button', { name: 'Archive' }), 'Tab');
  await walk.picture('picked');
  await press('Enter');
  await expect(bar).toBeHidden();
  await walk.isSomewhere();
  await expect(ui.sidebar.locator(':focus')).toBeVisible();
  // How it is grouped.
  const view = ui.sidebar.getByRole('button', { name: 'View options' });
  await press('Control+Shift+o');
  await walk.until(view, 'Tab');
  await press('Enter');
  await walk.until(shownMenu(page).getByRole('menuitemradio', { name: 'Time' }), 'ArrowDown');
  await press('Enter');
  await expect.poll(lines).not.toContain('orchard');
  await press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expectFocus(view);
  // The button that hides the sidebar goes with it.
  await press('Control+b');
  await expect(ui.sidebar).toBeHidden();
  await walk.isSomewhere();
  await press('Control+b');
  await expect(ui.sidebar).toBeVisible();
  await walk.isSomewhere();
}

/** Opens a section of the settings by its name. */
async function section({ page, ui, walk }: Walking, name: string): Promise<Locator> {
  await walk.press('Control+k');
  await walk.type(`Settings: ${name}`);
  await walk.press('Enter');
  await ui.inSection(name);
  await walk.isSomewhere();
  return page.getByRole('region', { name, exact: true });
}

async function backups(way: Walking): Promise<void> {
  const { press, expectFocus, until } = way.walk;
  const part = await section(way, 'Backups');
  const make = part.getByRole('button', { name: /^(Back up now|Making a backup)/ });
  await until(make, 'Tab');
  await press('Enter');
  await expect(part.getByRole('listitem')).toHaveCount(1);
  await expectFocus(make);
  await expect(make).toHaveText('Back up now');
  await until(part.getByRole('button', { name: /^Copy the command/ }), 'Shift+Tab');
  await press('Enter');
  expect(await way.page.evaluate(() => navigator.clipboard.readText())).toMatch(/^weft restore /);
  await until(part.getByRole('checkbox', { name: /^Back up each day/ }), 'Shift+Tab');
  await press('Space');
  await expect(part.getByRole('checkbox')).not.toBeChecked();
}

async function updates(way: Walking): Promise<void> {
  const { press, expectFocus, until, isSomewhere } = way.walk;
  // Asked in the sidebar; who has answered continues from there.
  const asked = way.page.getByRole('region', { name: 'Check for new versions of Weft each day?' });
  await until(asked.getByRole('button', { name: 'Check each day' }), 'Shift+Tab');
  await press('Enter');
  await expect(asked).toHaveCount(0);
  await isSomewhere();
  const part = await section(way, 'Updates');
  const check = part.getByRole('button', { name: /^Check/ });
  await until(check, 'Tab');
  await press('Enter');
  await expect(part).toContainText('Weft 1.1.0 is available.');
  await expectFocus(check);
  await expect(part.locator('.update-notes')).toContainText('Pears are counted, too.');
  await until(part.getByRole('checkbox', { name: 'Check for updates each day' }), 'Shift+Tab');
  await press('Space');
  await expect(part.getByRole('checkbox')).not.toBeChecked();
}

async function language(way: Walking): Promise<void> {
  const { press, type, expectFocus, until } = way.walk;
  await section(way, 'Appearance');
  const choice = way.page.locator('#language');
  await until(choice, 'Tab');
  await type('D');
  await expect(way.page.locator('html')).toHaveAttribute('lang', 'de');
  await expectFocus(choice);
  await way.walk.picture('german');
  // On in German, to the next control and back.
  await press('Tab');
  await press('Shift+Tab');
  await expectFocus(choice);
  await press('ArrowUp');
  await expect(way.page.locator('html')).toHaveAttribute('lang', 'en');
  await expectFocus(choice);
  // Escape leads out of the field, and from there out of the settings.
  await press('Escape');
  await expectFocus(way.ui.sections.getByRole('link', { name: 'Appearance' }));
  await press('Escape');
  await expectFocus(way.ui.composer);
}

async function notifications(way: Walking): Promise<void> {
  const { press, expectFocus, until } = way.walk;
  const part = await section(way, 'Appearance');
  const on = part.getByRole('checkbox', { name: 'Desktop notifications' });
  await until(on, 'Tab');
  await press('Space');
  await expect(on).toBeChecked();
  await expectFocus(on);
  const kinds = part.getByRole('group', { name: 'Notify about' });
  const finished = kinds.getByRole('checkbox', { name: 'Finished turns' });
  await until(finished, 'Tab');
  await press('Space');
  await expect(finished).not.toBeChecked();
  await expectFocus(finished);
  await until(on, 'Shift+Tab');
  await press('Space');
  await expect(kinds).toHaveCount(0);
  await expectFocus(on);
  // What was chosen is chosen again.
  await press('Space');
  await expect(finished).not.toBeChecked();
  await expect(kinds.getByRole('checkbox', { name: 'Failed turns' })).toBeChecked();
  await press('Escape');
  await expectFocus(way.ui.composer);
}

async function imported(way: Walking): Promise<void> {
  const { press, expectFocus, until, isSomewhere } = way.walk;
  const part = await section(way, 'Import');
  const start = part.getByRole('button', { name: 'Import', exact: true });
  await until(start, 'Tab');
  await press('Enter');
  const cancel = part.getByRole('button', { name: 'Cancel' });
  await until(cancel, 'Tab');
  await press('Enter');
  await expect(part.getByRole('status')).toContainText('The import was canceled.');
  await isSomewhere();
  // The rest later: only those of Codex.
  const claude = part.getByRole('checkbox', { name: 'Claude Code' });
  await until(claude, 'Shift+Tab');
  await press('Space');
  await expect(claude).not.toBeChecked();
  await until(start, 'Tab');
  await press('Enter');
  // It may have been imported before the other import was canceled.
  await expect(part.getByRole('status')).toHaveText(/^Codex(1 conversation|0 conversations) imported/);
  await expectFocus(start);
  await press('Escape');
  await expectFocus(way.ui.composer);
}

interface Walking {
  page: Page;
  ui: Screen;
  walk: Walk;
}

interface Way extends Walking {
  puppet: Puppet;
  space: Space;
}

test('what is kept, without a mouse', async ({ page, ui, context }, info) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write', 'notifications']);
  const weft = await Weft.create();
  try {
    await keepConversations(weft, 1500);
    await weft.start();
    await weft.space('guide', 'Apples');
    const { puppet, agent } = await weft.actor('Robin');
    const space = await weft.space(agent.id, 'Harvest');
    await weft.space(agent.id, 'Pears');
    await talk(weft, puppet, space, ['Begin the harvest', 'End the harvest']);
    await weft.open(page);
    await ui.idle();
    const walk = new Walk(page, info);
    const way = { page, ui, walk, puppet, space };
    await walk.press('Control+k');
    await walk.type('harvest');
    await walk.press('Enter');
    await walk.expectFocus(ui.composer);
    await walk.readKeys();
    await walk.station('search everywhere', 28, () => search(way));
    await walk.station('find in the thread', 11, () => find(way));
    await walk.station('find while the agent works', 16, () => findWhileWorking(way));
    await walk.station('outline', 16, () => outline(way));
    await walk.station('a link', 14, () => link(way));
    await walk.station('export', 26, () => exported(way));
    await walk.station('the list', 40, () => list(way));
    await walk.station('backups', 14, () => backups(way));
    await walk.station('language', 22, () => language(way));
    await walk.station('notifications', 40, () => notifications(way));
    await walk.station('import', 30, () => imported(way));
    await walk.done();
  } finally {
    await weft.dispose();
  }
});

test('a newer version, without a mouse', async ({ page, ui }, info) => {
  const versions = await Versions.create();
  const weft = await Weft.create();
  try {
    // Only a version that was released looks for others.
    await versions.install('1.0.0');
    await versions.announce('1.1.0', 1_700_000_000, '* **Pears** are counted, too.');
    weft.program = join(versions.prefix, 'bin/weft');
    weft.extra = versions.environment();
    await weft.start();
    await weft.space('guide', 'Apples');
    await weft.open(page);
    const walk = new Walk(page, info);
    await walk.readKeys();
    await walk.expectFocus(ui.composer);
    await walk.station('updates', 40, () => updates({ page, ui, walk }));
    await walk.done();
  } finally {
    await weft.dispose();
    await versions.dispose();
  }
});
