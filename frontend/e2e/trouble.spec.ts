import { readFile, writeFile } from 'node:fs/promises';
import type { Route } from '@playwright/test';
import { chunk } from './support/puppet';
import { expect, test } from './support/test';

test.describe('when something goes wrong', () => {
  test('an error of the agent is a block with a way on: try again', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('I was about to');
    turn.fail('The model is too busy');
    await expect(ui.error).toContainText('The model is too busy');
    await expect(ui.text('I was about to')).toBeVisible();
    await ui.error.getByRole('button', { name: 'Try again' }).click();
    const again = await puppet.turn();
    expect(again.text).toBe('go');
    again.say('This time it works.');
    again.end();
    await ui.idle();
    await expect(ui.text('This time it works.')).toBeVisible();
    // What failed stays, without its buttons.
    await expect(ui.error).toHaveCount(1);
    await expect(ui.error.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  });

  test('a crash keeps what was said, shows the last words, restarts, and goes on', async ({
    weft,
    page,
    ui,
  }) => {
    const history = [chunk('What I said before.')];
    const { puppet } = await weft.puppet('Robin', { history });
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('Half a sen');
    turn.tool({ toolCallId: 'a', title: 'Read a file', kind: 'read', status: 'in_progress' });
    await expect(ui.tool('Read a file')).toBeVisible();
    puppet.crash(134, 'panic: the apple is rotten\n');
    await expect(ui.error).toBeVisible();
    await expect(ui.text('Half a sen')).toBeVisible();
    await expect(ui.tool('Read a file')).toContainText(/Failed|Cancelled/);
    await expect(ui.error).toContainText('panic: the apple is rotten');
    await ui.error.getByRole('button', { name: 'Restart and continue' }).click();
    await expect.poll(() => puppet.starts).toBe(2);
    await expect.poll(() => puppet.calls).toContain('session/load');
    const next = await puppet.turn();
    expect(next.text).toContain('continue where you left off');
    next.say('Back again.');
    next.end();
    await ui.idle();
    const lines = await ui.lines();
    expect(lines.filter((line) => line.includes('What I said before.'))).toEqual([]);
    expect(lines.at(-1)).toBe('text: Back again.');
  });

  test('an agent that does not start says so in the space', async ({ weft, page, ui }) => {
    const { id } = await weft.script('Robin', 'refuses.mjs');
    await weft.space(id);
    await weft.open(page);
    await ui.send('go');
    await expect(ui.error).toBeVisible();
    await expect(ui.error).toContainText('the licence file /opt/robin/licence is missing');
    await ui.error.getByRole('button', { name: 'Agent settings' }).click();
    await expect(page.getByRole('heading', { name: /^Robin/ })).toBeInViewport();
  });

  test('a part of the page that could not be loaded is asked for again', async ({ weft, page, ui }) => {
    const { space } = await weft.puppet();
    let refused = 0;
    const refuse = (route: Route) => {
      refused++;
      return route.abort();
    };
    await page.route(/\/rest-[\w-]+\.js$/, refuse, { times: 2 });
    await weft.open(page);
    await expect(page.getByRole('heading', { level: 1, name: space.title || 'New space' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'More about this space' })).toBeVisible();
    expect(refused).toBe(2);
    await ui.picture('asked-again');
  });

  test('broken settings are reported with line and column, and the last good ones stay', async ({
    weft,
    page,
    ui,
  }) => {
    await weft.puppet('Robin');
    await weft.call('SaveAppearance', {
      theme: 'dark',
      density: 'comfortable',
      textScale: 100,
      thoughts: 'in-place',
      language: 'system',
    });
    await weft.open(page);
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    const good = await readFile(weft.settings, 'utf8');
    const broken = good.replace('"theme": "dark",', '"theme": "light"');
    await writeFile(weft.settings, broken);
    const banner = page.getByRole('status').filter({ hasText: 'settings.json' });
    const line = broken.split('\n').findIndex((text) => text.includes('"theme"')) + 2;
    await expect(banner).toContainText(new RegExp(`settings\\.json:${line}:\\d+`));
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(ui.composer).toBeVisible();
    // What is typed in the window does not overwrite the file that is broken.
    await ui.command('Compact density');
    await expect(ui.notices).toContainText("Couldn't save the setting");
    expect(await readFile(weft.settings, 'utf8')).toBe(broken);
    await writeFile(weft.settings, good.replace('"theme": "dark"', '"theme": "light"'));
    await expect(banner).toHaveCount(0);
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  });

  test('the protocol log shows the traffic, filters and copies it', async ({ weft, page, ui, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: weft.url });
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('A word for the log');
    turn.end();
    await ui.idle();
    await page.keyboard.press('Control+Shift+L');
    await expect(ui.log.locator('.log-kind').first()).toHaveText('initialize');
    await expect(ui.log).toContainText('session/prompt');
    await ui.log.getByRole('searchbox', { name: 'Filter lines' }).fill('a word for');
    await expect(ui.log.locator('.log-entry')).toHaveCount(1);
    await ui.log.locator('.log-line').click();
    await expect(ui.log.locator('pre')).toContainText('"text": "A word for the log"');
    await ui.log.getByRole('button', { name: 'Copy visible lines' }).click();
    await expect(ui.notices).toContainText('1 line copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('A word for the log');
    await ui.log.getByRole('searchbox', { name: 'Filter lines' }).fill('nowhere');
    await expect(ui.log).toContainText('No lines found.');
    await ui.log.getByRole('button', { name: 'Close the protocol log' }).click();
    await expect(ui.log).toBeHidden();
  });
});

test('a server that stands still is said after a moment, and the page continues with it', async ({
  weft,
  page,
  ui,
}) => {
  await weft.space('guide', 'Apples');
  await weft.open(page);
  await expect(ui.composer).toBeVisible();
  const banner = page.locator('.banner[data-kind=offline]');
  await expect(banner).toHaveCount(0);
  weft.freeze(true);
  try {
    await expect(banner).toContainText("Weft isn't responding", { timeout: 8000 });
  } finally {
    weft.freeze(false);
  }
  await expect(banner).toHaveCount(0);
  await ui.send('hello');
  await ui.idle();
});
