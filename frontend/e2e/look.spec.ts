import { accessible } from './support/axe';
import { diff, type Puppet, said, type Turn } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';

// Every screen in light and dark: pictures into test-results/screens, and axe has nothing to say.

for (const theme of ['light', 'dark'] as const) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });
    test.describe.configure({ timeout: 90_000 });

    test('first start, folder, palette, keyboard map', async ({ weft, page, ui }) => {
      await weft.open(page);
      await expect(page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
      await ui.picture(`${theme}-first-start`);
      await accessible(page, 'first start');
      await page.getByRole('button', { name: 'Change' }).click();
      await expect(page.getByRole('button', { name: 'orchard' })).toBeVisible();
      await ui.picture(`${theme}-folder`);
      await accessible(page, 'folder');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await page.keyboard.press('Control+k');
      await expect(ui.palette).toBeVisible();
      await ui.picture(`${theme}-palette`);
      await accessible(page, 'palette');
      await page.keyboard.press('Escape');
      await expect(ui.palette).toBeHidden();
      await page.getByRole('button', { name: 'Settings' }).focus();
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keyboard' })).toBeVisible();
      await ui.picture(`${theme}-keyboard`);
      await accessible(page, 'keyboard map');
    });

    test('settings', async ({ weft, page, ui }) => {
      await weft.script('Robin', 'refuses.mjs');
      await weft.open(page);
      await ui.openSettings();
      await ui.picture(`${theme}-settings`);
      await accessible(page, 'settings');
      const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Robin/ }) });
      await row.getByRole('button', { name: 'Test' }).click();
      await expect(row).toContainText('Its last words');
      const guide = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Guide/ }) });
      await guide.getByRole('button', { name: 'Test' }).click();
      await expect(guide).toContainText('Works, answered in');
      await ui.picture(`${theme}-settings-tests`);
      await accessible(page, 'tests of agents');
      await page.getByRole('button', { name: 'Add agent' }).click();
      await expect(page.getByRole('dialog', { name: 'Add an agent' })).toBeVisible();
      await ui.picture(`${theme}-add-agent`);
      await accessible(page, 'agent form');
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'Appearance' }).scrollIntoViewIfNeeded();
      await ui.picture(`${theme}-settings-appearance`);
    });

    test('an empty space, and one that streams, asks, and is done', async ({ weft, page, ui }) => {
      const { puppet, space } = await weft.puppet();
      await weft.call('UpdateSpace', { spaceId: space.id, title: 'Count the apples' });
      const { id } = await weft.space('guide', 'Older things');
      await weft.open(page);
      await ui.spaces.getByRole('button', { name: /Older/ }).first().click();
      await expect(page.getByRole('heading', { name: 'What shall Guide do?' })).toBeVisible();
      await ui.picture(`${theme}-empty-space`);
      await accessible(page, 'empty space');
      await weft.call('SendPrompt', { spaceId: id, text: 'list the TODOs' });
      await ui.spaces.getByRole('button', { name: /Count/ }).first().click();
      await expect(page.getByRole('heading', { name: 'What shall Robin do?' })).toBeVisible();

      await ui.send('Why does an empty basket count as one, and can you fix it?');
      const turn = await puppet.turn();
      await expect(ui.transcript).toContainText('Working');
      await ui.picture(`${theme}-waiting-for-words`);
      stream(turn);
      await expect(ui.tool('Search for count(')).toBeVisible();
      await ui.send('Then run the tests');
      await ui.picture(`${theme}-streaming`);
      await accessible(page, 'streaming');

      const answer = turn.ask({
        toolCallId: 'edit',
        title: 'Edit src/apples.js',
        kind: 'edit',
        content: [
          diff(
            `${weft.project}/src/apples.js`,
            'export function count(baskets) {\n  // FIXME: an empty basket counts as one\n  return baskets.length;\n}\n',
            'export function count(baskets) {\n  return baskets.filter((basket) => basket !== null).length;\n}\n',
          ),
        ],
      });
      await expect(ui.permissions).toBeVisible();
      await ui.picture(`${theme}-permission`);
      await accessible(page, 'permission');
      await ui.permissions.getByRole('button', { name: 'Allow once' }).click();
      await answer;
      finish(turn);
      const second = await puppet.turn();
      second.did({
        toolCallId: 'run',
        title: 'npm test',
        kind: 'execute',
        rawInput: { command: 'npm test' },
        status: 'failed',
        content: [said('\u001b[31m✖ counts\u001b[0m\n  expected 0, got 1\nexit code 1')],
      });
      second.fail('The model is overloaded. Try again in a minute.', -32603, { details: 'HTTP 529' });
      await expect(ui.error).toBeVisible();
      await ui.picture(`${theme}-error`);
      await accessible(page, 'error');

      await ui.plan.getByRole('button').click();
      await ui.group('5 tool calls').click();
      await ui.tool('Edit src/apples.js').click();
      await expect(ui.transcript.locator('.detail')).toContainText('basket !== null');
      await ui.tool('Edit src/apples.js').scrollIntoViewIfNeeded();
      await ui.picture(`${theme}-groups`);
      await accessible(page, 'groups');
      await page.keyboard.press('Control+Shift+L');
      await expect(ui.log.locator('.log-entry').first()).toBeVisible();
      await ui.picture(`${theme}-log`);
      await accessible(page, 'protocol log');
      await page.keyboard.press('Control+Shift+L');

      for (const width of [760, 720]) {
        await page.setViewportSize({ width, height: 800 });
        await expect(ui.sidebar).toBeVisible();
        await expect.poll(() => overflow(ui)).toBeLessThanOrEqual(0);
        await ui.picture(`${theme}-${width}`);
        await accessible(page, `${width} px`);
      }
      await page.setViewportSize({ width: 700, height: 800 });
      await expect(ui.sidebar).toBeHidden();
      await expect.poll(() => overflow(ui)).toBeLessThanOrEqual(0);
      await page.getByRole('main').getByRole('button', { name: 'Show or hide the sidebar' }).click();
      await expect(ui.sidebar).toBeVisible();
      await ui.picture(`${theme}-drawer`);
      await accessible(page, 'drawer');
      await ui.spaces.getByRole('button', { name: /Older/ }).first().click();
      await expect(ui.sidebar).toBeHidden();
      await ui.picture(`${theme}-700`);
    });

    test('a long history, read in the middle', async ({ weft, page, ui }) => {
      const { puppet } = await weft.puppet();
      await weft.open(page);
      await history(ui, puppet);
      await ui.transcript.hover();
      await page.mouse.wheel(0, -1800);
      await expect(page.getByRole('button', { name: /^(To the end|New below)$/ })).toBeVisible();
      await ui.picture(`${theme}-long-history`);
      await accessible(page, 'long history');
    });
  });
}

test('a page without the link', async ({ weft, page, ui }) => {
  await page.goto(weft.url);
  await expect(
    page.getByRole('heading', { name: 'This page needs the link that Weft printed' }),
  ).toBeVisible();
  await ui.picture('light-refused');
  await accessible(page, 'refused');
});

/** Pixels by which the window is wider than the screen. */
function overflow(ui: Screen): Promise<number> {
  return ui.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

function stream(turn: Turn): void {
  turn.plan([
    { content: 'Find where apples are counted', status: 'completed' },
    { content: 'Correct the count', status: 'in_progress' },
    { content: 'Run the tests', status: 'pending' },
  ]);
  turn.think('The count comes from the length of the list. Empty baskets are null there.');
  turn.say('I’ll look at **how apples are counted** first.');
  turn.did({ toolCallId: '1', title: 'Read src/main.js', kind: 'read', content: [said('1 import')] });
  turn.did({ toolCallId: '2', title: 'Read src/apples.js', kind: 'read', content: [said('2 export')] });
  turn.did({
    toolCallId: '3',
    title: 'Read test/none.test.js',
    kind: 'read',
    status: 'failed',
    content: [said('There is no such file')],
  });
  turn.tool({ toolCallId: '4', title: 'Search for count(', kind: 'search', status: 'in_progress' });
}

function finish(turn: Turn): void {
  turn.change({ toolCallId: 'edit', status: 'completed' });
  turn.change({ toolCallId: '4', status: 'completed', content: [said('3 matches in 2 files')] });
  turn.say(
    'Done. An empty basket is `null` in the list, so its *place* was counted:\n\n```js\nreturn baskets.filter((basket) => basket !== null).length;\n```\n\n| basket | before | now |\n|---|---:|---:|\n| red | 1 | 1 |\n| empty | 1 | 0 |\n\n- [x] the count\n- [ ] the tests\n',
  );
  turn.end();
}

async function history(ui: Screen, puppet: Puppet): Promise<void> {
  for (let n = 1; n <= 5; n++) {
    await ui.composer.fill(`Step ${n}: what about the baskets of row ${n}?`);
    await ui.composer.press('Enter');
    const turn = await puppet.turn();
    turn.think('Rows are read from the top.');
    turn.say(
      `### Row ${n}\n\nThe baskets of this row are counted one by one, and empty ones are left out. The count is kept beside the row, so that it need not be done again.\n`,
    );
    for (let i = 1; i <= 4; i++)
      turn.did({
        toolCallId: `${n}-${i}`,
        title: `Read baskets/${n}-${i}.txt`,
        kind: 'read',
        content: [said('12 lines')],
      });
    turn.say(
      `There are ${n * 12} apples:\n\n1. red ones first,\n2. then green ones,\n3. then those of which nobody knows.\n`,
    );
    turn.end();
    await ui.idle();
  }
}
