import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';

// The sections of the settings: their list, addresses, search and keys, and what is kept of tests of agents.

const field = (page: Page) => page.getByRole('combobox', { name: 'Search settings' });
const result = (page: Page, name: RegExp | string) => page.getByRole('option', { name });
const names = [
  'Agents',
  'MCP servers',
  'Custom tools',
  'Tool calls',
  'Worktrees',
  'Permissions',
  'Secrets',
  'Appearance',
  'About and data',
];
const widths = [760, 1720];

async function atWidths(page: Page, ui: Screen, name: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const overflow = await page
      .locator('.settings-pane')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(overflow, `${name} at ${width}`).toBe(0);
    await ui.picture(`${name}-${width}`);
  }
}

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });
    test.describe.configure({ timeout: 360_000 });

    test('shows one section at a time', deep, async ({ weft, page, ui }) => {
      await weft.actor('Robin', {
        initialize: {
          agentInfo: { name: 'opencode', version: '1.4.2' },
          agentCapabilities: {
            loadSession: true,
            promptCapabilities: { image: true, embeddedContext: true },
            mcpCapabilities: { http: true },
            sessionCapabilities: { fork: {}, list: {} },
            holograms: true,
          },
        },
      });
      await weft.agent('Nobody', 'no-such-agent', []);
      await weft.open(page);
      await ui.openSettings();
      for (const name of names) {
        await ui.showSection(name);
        await expect(page.getByRole('heading', { level: 2 })).toHaveCount(1);
        await accessible(page, `settings, ${name}`, theme === 'light' ? 'all' : 'colours');
        await atWidths(page, ui, `${theme}-section-${name.toLowerCase().replaceAll(' ', '-')}`);
      }
      await page.setViewportSize({ width: 760, height: 900 });
      await accessible(page, 'settings in a narrow window', theme === 'light' ? 'all' : 'colours');

      await ui.showSection('Agents');
      const row = (name: string) =>
        page
          .getByRole('listitem')
          .filter({ has: page.getByRole('heading', { name: new RegExp(`^${name}`) }) })
          .filter({ hasText: 'Custom' });
      await expect(row('Robin')).toContainText('Not tested yet');
      await row('Robin').getByRole('button', { name: 'Test' }).click();
      const fork = row('Robin').getByText('Can branch conversations');
      await expect(fork).toHaveAttribute('title', 'sessionCapabilities.fork');
      await expect(row('Robin')).toContainText('Can continue earlier conversations');
      await expect(row('Robin')).toContainText('Accepts images');
      await expect(row('Robin')).toContainText('Supports holograms');
      await row('Nobody').getByRole('button', { name: 'Test' }).click();
      await expect(row('Nobody').locator('.test-line')).toContainText('no-such-agent');
      await accessible(page, 'tested agents', theme === 'light' ? 'all' : 'colours');
      await atWidths(page, ui, `${theme}-tested`);

      // What came out is still there in another visit, and after a restart.
      await page.keyboard.press('Escape');
      await weft.stop();
      await weft.start();
      await weft.open(page);
      await ui.openSettings();
      await expect(row('Robin')).toContainText('Tested just now: opencode 1.4.2, works');
      await expect(row('Nobody')).toContainText(/Failed just now: .*no-such-agent/);
      await accessible(page, 'results of earlier tests', theme === 'light' ? 'all' : 'colours');
      await atWidths(page, ui, `${theme}-results`);

      await field(page).fill('secret');
      await expect(page.getByRole('option').first()).toContainText('Secrets');
      await accessible(page, 'search of the settings', theme === 'light' ? 'all' : 'colours');
      await atWidths(page, ui, `${theme}-search`);
      await field(page).fill('no such thing');
      await expect(page.getByRole('status').filter({ hasText: 'No settings found' })).toBeVisible();
      await accessible(page, 'a search without results', theme === 'light' ? 'all' : 'colours');
    });
  });
}

test('is used by keyboard alone', async ({ weft, page, ui }) => {
  await weft.puppet();
  await weft.open(page);
  await expect(ui.composer).toBeFocused();
  await page.keyboard.press('Control+,');
  await expect(field(page)).toBeFocused();

  // Down into the list, along it, and up again.
  await page.keyboard.press('ArrowDown');
  const link = (name: string) => ui.sections.getByRole('link', { name, exact: true });
  await expect(link('Agents')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await ui.inSection('MCP servers');
  await expect(link('MCP servers')).toBeFocused();
  await page.keyboard.press('End');
  await ui.inSection('About and data');
  await page.keyboard.press('Home');
  await ui.inSection('Agents');
  await page.keyboard.press('ArrowUp');
  await expect(field(page)).toBeFocused();

  // A search: the arrows choose, Enter opens and highlights.
  await page.keyboard.type('theme');
  await expect(result(page, /^Theme/)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await ui.inSection('Appearance');
  const theme = page.getByRole('group', { name: 'Theme' });
  await expect(theme).toHaveAttribute('data-found', 'true');
  await expect(theme.getByRole('radio', { name: 'System' })).toBeFocused();
  await ui.picture('settings-found');
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => readFile(weft.settings, 'utf8')).toContain('"light"');

  // Escape clears the search first, and leaves then.
  await field(page).focus();
  await page.keyboard.type('robin');
  await expect(result(page, /^Robin/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(field(page)).toHaveValue('');
  await ui.inSection('Appearance');
  await page.keyboard.press('Escape');
  await expect(ui.composer).toBeFocused();

  // The section is remembered, for this window.
  await page.keyboard.press('Control+,');
  await ui.inSection('Appearance');
  await page.keyboard.type('permission history');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await ui.inSection('Permissions');
  await expect(page.getByRole('radio', { name: 'History' })).toBeChecked();

  // A dialog and a menu have Escape for themselves.
  await ui.showSection('Agents');
  await page.getByRole('button', { name: 'Add agent' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('button', { name: 'Actions for Robin' }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await ui.inSection('Agents');
  await page.getByRole('button', { name: 'Close settings' }).click();
  await expect(ui.composer).toBeVisible();
});

test('is linked to by section', async ({ weft, page, ui }) => {
  const { agent, space } = await weft.puppet();
  await weft.open(page);
  await expect(ui.composer).toBeVisible();
  await ui.command('Settings: Permissions');
  await ui.inSection('Permissions');
  await expect(page).toHaveURL(`${weft.url}/#settings/permissions`);
  await ui.showSection('MCP servers');
  await expect(page).toHaveURL(`${weft.url}/#settings/mcp`);

  // At load, and while the page is open.
  await page.reload();
  await ui.inSection('MCP servers');
  await page.evaluate(() => {
    window.location.hash = '#settings/appearance';
  });
  await ui.inSection('Appearance');
  await page.evaluate(() => {
    window.location.hash = '#settings/nowhere';
  });
  await ui.inSection('Appearance');
  await page.keyboard.press('Escape');
  await expect(ui.composer).toBeVisible();
  await expect(page).toHaveURL(`${weft.url}/#/space/${space.id}`);

  // What leads to an agent shows its row, each time.
  await ui.command('Agent settings');
  await ui.inSection('Agents');
  const row = page.locator(`[id="agent-${agent.id}"]`);
  await expect(row).toBeInViewport();
  await expect(row).toHaveAttribute('data-wanted', 'true');
  await expect(row.getByRole('button', { name: 'Test' })).toBeFocused();
});
