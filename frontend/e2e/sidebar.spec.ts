import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { Space } from '../src/transport/api';
import { accessible } from './support/axe';
import { yesOrNo } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import type { Weft } from './support/weft';

// What the sidebar says of many spaces: each once, in one line, where it was.

async function spaceIn(weft: Weft, folder: string, title: string, agentId = 'guide'): Promise<Space> {
  const path = join(weft.home, folder);
  await mkdir(path, { recursive: true });
  return weft.call('CreateSpace', { agentId, folder: path, title });
}

const row = (ui: Screen, title: string) => ui.spaces.getByRole('listitem').filter({ hasText: title });
const button = (ui: Screen, title: string) => row(ui, title).locator('.space-button').first();
const titles = (ui: Screen) => ui.spaces.locator('.space-title').allTextContents();

/** 12 spaces in 8 folders: two ask, one has failed, two have finished, one works, the others rest. */
async function twelve(weft: Weft, page: Page, ui: Screen) {
  const robin = await weft.actor('Robin');
  const wren = await weft.actor('Wren');
  const finch = await weft.actor('Finch');
  const crow = await weft.actor('Crow');
  for (const [folder, title] of [
    ['barn', 'Hay prices'],
    ['garden', 'Water plan'],
    ['press', 'Cider labels'],
    ['bees', 'Hive log'],
    ['orchard', 'Apple counts'],
    ['orchard', 'Pear counts'],
  ] as const)
    await spaceIn(weft, folder, title);
  const done = await spaceIn(weft, 'orchard', 'Prune plan');
  const also = await spaceIn(weft, 'shop', 'Price tags');
  const works = await spaceIn(weft, 'shop', 'Opening hours', crow.agent.id);
  const fails = await spaceIn(weft, 'mill', 'Flour types', finch.agent.id);
  const asks = await spaceIn(weft, 'well', 'Pump script', robin.agent.id);
  const second = await spaceIn(weft, 'orchard', 'Ladder list', wren.agent.id);
  await weft.open(page);
  await button(ui, 'Apple counts').click();
  await ui.send('hello');
  await ui.idle();
  for (const space of [done, also]) await weft.call('SendPrompt', { spaceId: space.id, text: 'hello' });
  await weft.call('SendPrompt', { spaceId: fails.id, text: 'Sort the flour' });
  await finch.puppet.turn();
  finch.puppet.crash(3, 'no more seeds\n');
  await weft.call('SendPrompt', { spaceId: works.id, text: 'Write the hours' });
  const working = await crow.puppet.turn();
  const ask = async (puppet: typeof robin.puppet, space: Space, title: string) => {
    await weft.call('SendPrompt', { spaceId: space.id, text: title });
    const turn = await puppet.turn();
    const asked = turn.ask({ toolCallId: title, title, kind: 'edit' }, yesOrNo);
    return { turn, asked };
  };
  const one = await ask(robin.puppet, asks, 'Start the pump');
  const two = await ask(wren.puppet, second, 'Write the list');
  await expect(row(ui, 'Ladder list')).toContainText('Needs your answer');
  await expect(row(ui, 'Price tags')).toContainText('Finished');
  await expect(row(ui, 'Flour types')).toContainText('Failed');
  return { one, two, working, works, done, fails, also };
}

/** What can be pressed, and the words that are read in the sidebar. */
const counts = (page: Page) =>
  page.evaluate(() => {
    const shown = (element: Element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      element.closest('.visually-hidden, [aria-hidden=true]') === null;
    const controls = [
      ...document.querySelectorAll('button, a[href], input, textarea, select, [role=button], [role=textbox]'),
    ].filter(shown);
    const sidebar = document.querySelector('.sidebar') as HTMLElement;
    const words: string[] = [];
    const walker = document.createTreeWalker(sidebar, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node.parentElement !== null && shown(node.parentElement))
        words.push(...(node.textContent ?? '').split(/[\s·]+/).filter(Boolean));
    return {
      controls: controls.length,
      names: controls.map((one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').slice(0, 30)),
      words: words.length,
      said: words.join(' '),
    };
  });

/** Where each title is, in the window. */
const places = (ui: Screen) =>
  ui.spaces
    .locator('.space-title')
    .evaluateAll((all) =>
      all.map((one) => `${one.textContent} ${Math.round(one.getBoundingClientRect().y)}`),
    );

test('says each space once, in one line, with a mark', async ({ weft, page, ui }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await twelve(weft, page, ui);
  await page.mouse.move(900, 300);
  await expect.poll(async () => (await titles(ui)).length).toBe(12);
  const rows = await titles(ui);
  expect(new Set(rows).size).toBe(12);
  // Every title is read once, and every row is a line.
  const text = (await ui.sidebar.textContent()) ?? '';
  for (const title of rows) expect(text.split(title)).toHaveLength(2);
  for (const one of await ui.spaces.locator('.space-button').all())
    expect((await one.boundingBox())?.height).toBeLessThan(36);
  await expect(row(ui, 'Ladder list')).toContainText('Needs your answer');
  await expect(row(ui, 'Opening hours')).toContainText('Working');
  await expect(row(ui, 'Price tags')).toContainText('Finished');
  // Folders with one space have no heading, and the row says which it is.
  await expect(ui.spaces.locator('.group-name')).toHaveText(['orchard', 'shop']);
  await expect(button(ui, 'Pump script')).toContainText('well');
  await expect(button(ui, 'Price tags')).not.toContainText('shop');
  const { controls, words, names, said } = await counts(page);
  expect(controls, names.join('\n')).toBeLessThanOrEqual(35);
  expect(words, said).toBeLessThanOrEqual(50);
  await ui.waiting(2);
  await accessible(page, 'the sidebar');
  await ui.picture('sidebar');

  // The line leads to all that waits, and the number follows.
  await ui.inbox.click();
  await expect(page.getByRole('option')).toHaveCount(5);
  await expect(page.getByRole('option').first()).toContainText('Start the pump');
});

test('a failure is red until it was seen', async ({ weft, page, ui }) => {
  await twelve(weft, page, ui);
  await expect(row(ui, 'Flour types').locator('.mark')).toHaveAttribute('data-state', 'failed');
  await button(ui, 'Flour types').click();
  await expect(ui.error).toBeVisible();
  await expect(row(ui, 'Flour types').locator('.mark')).not.toHaveAttribute('data-state', /./);
  await button(ui, 'Apple counts').click();
  await expect(row(ui, 'Flour types')).not.toContainText('Failed');
});

test('rows stay under the pointer and the focus, and go to their places after that', async ({
  weft,
  page,
  ui,
}) => {
  const { one, two, working, also } = await twelve(weft, page, ui);
  const before = await places(ui);
  const bees = await button(ui, 'Hive log').boundingBox();
  if (bees === null) throw new Error('Hive log is not drawn');
  await page.mouse.move(bees.x + 60, bees.y + 10);
  // Everything happens at once: answers, ends, new turns, new spaces of others, other titles.
  working.say('The hours are written.');
  working.end();
  await weft.call('SendPrompt', { spaceId: also.id, text: 'hello' });
  for (const { turn } of [one, two]) {
    turn.say('It is done.');
    turn.end();
  }
  const hay = (await weft.call('ListSpaces', { archived: false, query: '' }))?.find(
    ({ title }) => title === 'Hay prices',
  );
  if (hay === undefined) throw new Error('there is no Hay prices');
  await weft.call('SendPrompt', { spaceId: hay.id, text: 'hello' });
  await spaceIn(weft, 'pond', 'Duck count');
  await expect(row(ui, 'Duck count')).toBeVisible();
  await expect(row(ui, 'Hay prices')).toContainText('Finished');
  await expect(row(ui, 'Opening hours')).toContainText('Finished');
  const held = await places(ui);
  expect(held.filter((place) => !place.startsWith('Duck'))).toEqual(before);
  expect(held.at(-1)).toMatch(/^Duck count/);
  // The pointer leaves, and what was last at work is above.
  await page.mouse.move(900, 300);
  await expect.poll(async () => (await titles(ui)).indexOf('Duck count')).toBeLessThan(8);
  expect((await titles(ui)).indexOf('Hay prices')).toBeLessThan(8);

  // The same with the focus, by keys.
  await page.keyboard.press('Control+Shift+o');
  const search = await places(ui);
  await weft.call('SendPrompt', { spaceId: also.id, text: 'hello' });
  const listed = async (title: string) =>
    (await weft.call('ListSpaces', { archived: false, query: '' }))?.find((one) => one.title === title);
  // What ends last is above.
  await expect.poll(async () => (await listed('Price tags'))?.state).toBe('idle');
  const pear = await listed('Pear counts');
  await weft.call('SendPrompt', { spaceId: pear?.id ?? '', text: 'hello' });
  await expect(row(ui, 'Pear counts')).toContainText('Finished');
  expect(await places(ui)).toEqual(search);
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await titles(ui))[0]).toBe('Pear counts');
});

test('the open space stays in view while others come before it', async ({ weft, page, ui }) => {
  await page.setViewportSize({ width: 1280, height: 480 });
  await spaceIn(weft, 'barn', 'Hay prices');
  for (let i = 0; i < 30; i++) await spaceIn(weft, `field-${i}`, `Field ${i}`);
  await weft.open(page);
  await page.mouse.move(900, 300);
  await ui.command('Hay prices');
  await expect(button(ui, 'Hay prices')).toBeInViewport({ ratio: 1 });
  for (let i = 0; i < 6; i++) await spaceIn(weft, `wood-${i}`, `Wood ${i}`);
  await expect(button(ui, 'Hay prices')).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1280, height: 400 });
  await expect(button(ui, 'Hay prices')).toBeInViewport({ ratio: 1 });
});

test('what can be done with a space leaves its branches where they are', async ({ weft, page, ui }) => {
  const root = await spaceIn(weft, 'orchard', 'Apple counts');
  await weft.open(page);
  await button(ui, 'Apple counts').click();
  await ui.send('hello');
  await ui.idle();
  await weft.call('Branch', { spaceId: root.id });
  await spaceIn(weft, 'orchard', 'Pear counts');
  await button(ui, 'Pear counts').click();
  await page.mouse.move(900, 300);
  const branches = ui.spaces.locator('.space-branches');
  const before = await branches.boundingBox();
  const tree = ui.spaces.locator('.space:has(.space-branches)');
  await tree.hover({ position: { x: 40, y: 10 } });
  const more = tree.locator('.space-more');
  await expect(more).toBeVisible();
  expect(await branches.boundingBox()).toEqual(before);
  const box = await more.boundingBox();
  if (box === null || before === null) throw new Error('nothing is drawn');
  expect(box.x + box.width).toBeLessThanOrEqual(before.x);
  await branches.click();
  await expect(branches).toHaveAttribute('aria-expanded', 'true');
});
