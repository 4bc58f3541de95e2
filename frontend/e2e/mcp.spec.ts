import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { shownMenu } from './support/menu';
import { processes } from './support/processes';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { scriptPath, type Weft } from './support/weft';

/** Weft's own server, the gateway, goes to every agent. */
const others = (server: { name?: unknown }) => server.name !== 'weft';

const section = (page: Page) => page.getByRole('region', { name: 'MCP servers' });
const rowOf = (page: Page, name: string): Locator =>
  section(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: new RegExp(`^${name} `) }) });

async function open(weft: Weft, page: Page, ui: Screen): Promise<void> {
  await weft.call('SetSecretStore', { store: 'file' });
  await weft.open(page);
  await ui.openSettings('MCP servers');
  await expect(section(page)).toBeVisible();
}

test.describe('MCP servers', () => {
  test('one is added with a secret, tested, corrected, and handed to an agent', async ({
    weft,
    page,
    ui,
  }) => {
    await open(weft, page, ui);
    await expect(section(page)).toContainText('No MCP servers yet');
    await section(page).getByRole('button', { name: 'Add server' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add an MCP server' });
    await dialog.getByLabel('Name', { exact: true }).fill('orchard');
    await dialog.getByLabel('Command', { exact: true }).last().fill(process.execPath);
    await dialog.getByLabel('Arguments').fill(`'${scriptPath('mcp.mjs')}'`);
    await dialog.getByRole('button', { name: 'Add variable' }).click();
    await dialog.getByLabel('Variable 1').fill('ORCHARD_KEY');
    await dialog.getByLabel('Value of ORCHARD_KEY').fill('twig-key-9900');
    // The name has told that it is one.
    await expect(dialog.getByLabel('ORCHARD_KEY is a secret')).toBeChecked();
    await expect(dialog.getByLabel('Value of ORCHARD_KEY')).toHaveAttribute('type', 'password');
    await expect(dialog).toContainText('not against programs that run as you');
    const add = dialog.getByRole('button', { name: 'Add server' });
    const before = await add.boundingBox();
    await dialog.getByRole('button', { name: 'Test' }).click();
    await expect(dialog.getByText('exited with code 4')).toBeInViewport();
    // The buttons have stayed, but for a fraction of a pixel.
    expect(Math.abs(((await add.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(1);
    await expect(dialog).toContainText('the key [secret] does not open the orchard');
    await accessible(page, 'an MCP server that fails', 'all');
    await dialog.getByLabel('Value of ORCHARD_KEY').fill('root-key-3344');
    await dialog.getByRole('button', { name: 'Add server' }).click();
    await expect(dialog).toBeHidden();
    const row = rowOf(page, 'orchard');
    await row.getByRole('button', { name: 'Test' }).click();
    await expect(row).toContainText('Works: orchard 2.1');
    await expect(row.getByRole('list', { name: 'Tools' }).getByRole('listitem')).toHaveText([
      /prune.*Can prune a tree/s,
      /graft/,
    ]);
    await accessible(page, 'an MCP server that works', 'all');
    await ui.picture('light-mcp');
    expect(await readFile(weft.settings, 'utf8')).not.toContain('root-key-3344');

    // What is kept is neither shown nor lost by another change.
    await row.getByRole('button', { name: 'Actions for orchard' }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit orchard' });
    await expect(edit.getByLabel('Value of ORCHARD_KEY')).toHaveValue('');
    await edit.getByLabel('Name', { exact: true }).fill('garden');
    await edit.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'garden').getByRole('button', { name: 'Test' }).click();
    await expect(rowOf(page, 'garden')).toContainText('Works: orchard');

    const { puppet } = await weft.puppet('Robin');
    await page.goto(weft.url);
    await page.getByRole('button', { name: /^1 MCP server/ }).click();
    await expect(page.getByRole('dialog', { name: 'MCP servers' })).toContainText('Offered to Robin');
    await accessible(page, 'the MCP servers of a space', 'all');
    expect((puppet.manners.servers ?? []).filter(others)).toEqual([
      expect.objectContaining({ name: 'garden', env: [{ name: 'ORCHARD_KEY', value: 'root-key-3344' }] }),
    ]);
  });

  test(
    'pasted ones are looked through, reached over HTTP, switched off, removed and brought back',
    deep,
    async ({ weft, page, ui }) => {
      const portFile = join(weft.folder, 'port');
      const server = spawn(process.execPath, [scriptPath('mcp.mjs'), '--http', portFile], {
        stdio: 'ignore',
      });
      await once(server, 'spawn');
      await expect.poll(() => readFile(portFile, 'utf8').catch(() => '')).not.toBe('');
      const url = `http://127.0.0.1:${await readFile(portFile, 'utf8')}/mcp`;
      try {
        await open(weft, page, ui);
        await section(page).getByRole('button', { name: 'Paste configuration' }).click();
        const dialog = page.getByRole('dialog', { name: 'Paste MCP servers' });
        await dialog.getByLabel('Configuration').fill('{ nonsense');
        await dialog.getByRole('button', { name: 'Read' }).click();
        await expect(dialog.getByRole('alert')).toContainText('JSON');
        const found = {
          servers: {
            gate: { type: 'http', url, headers: { 'X-Orchard': `\${input:key}`, Accept: '*/*' } },
            other: { command: 'other-server', env: { API_TOKEN: 'abcdef' } },
            broken: { type: 'http' },
          },
        };
        await dialog.getByLabel('Configuration').fill(JSON.stringify(found));
        await dialog.getByRole('button', { name: 'Read' }).click();
        await expect(dialog).toContainText(
          'The server broken was left out: it has neither a command nor a url.',
        );
        await expect(dialog.getByLabel('API_TOKEN is a secret')).toBeChecked();
        await expect(dialog.getByLabel('Accept is a secret')).not.toBeChecked();
        await accessible(page, 'pasted MCP servers', 'all');
        await ui.picture('light-mcp-paste');
        await dialog.getByLabel('Add other').uncheck();
        await dialog.getByRole('button', { name: 'Add 1 server' }).click();
        await expect(dialog.getByRole('alert')).toContainText('Enter a value for X-Orchard');
        await dialog.getByLabel('Value of X-Orchard').fill('wrong-gate-key');
        await dialog.getByRole('button', { name: 'Add 1 server' }).click();
        await expect(dialog).toBeHidden();
        const row = rowOf(page, 'gate');
        await row.getByRole('button', { name: 'Test' }).click();
        await expect(row).toContainText('requires you to sign in (401)');

        await row.getByRole('button', { name: 'Actions for gate' }).click();
        await shownMenu(page).getByRole('menuitem', { name: 'Edit' }).click();
        const edit = page.getByRole('dialog', { name: 'Edit gate' });
        await edit.getByLabel('Value of X-Orchard').fill('gate-key-5566');
        await edit.getByRole('button', { name: 'Add header' }).click();
        await edit.getByLabel('Header 3').fill('No good');
        await edit.getByRole('button', { name: 'Save' }).click();
        await expect(edit.getByRole('alert')).toContainText("“No good” isn't a valid name");
        await edit.getByRole('button', { name: 'Remove No good' }).click();
        await edit.getByRole('button', { name: 'Save' }).click();
        await row.getByRole('button', { name: 'Test' }).click();
        await expect(row).toContainText('Works: orchard');

        await row.getByRole('button', { name: 'Actions for gate' }).click();
        await shownMenu(page).getByRole('menuitem', { name: 'Turn off' }).click();
        await expect(row).toContainText('Off');
        await row.getByRole('button', { name: 'Actions for gate' }).click();
        await shownMenu(page).getByRole('menuitem', { name: 'Remove' }).click();
        await expect(row).toHaveCount(0);
        await ui.notices.getByRole('button', { name: 'Undo' }).click();
        await expect(row).toContainText('Off');
        await row.getByRole('button', { name: 'Test' }).click();
        await expect(row).toContainText('Works: orchard');
      } finally {
        server.kill();
      }
    },
  );

  test('one whose secret is gone, and one the agent cannot take, are left out in sight', async ({
    weft,
    page,
  }) => {
    await weft.call('SetSecretStore', { store: 'file' });
    const base = {
      command: '',
      args: [],
      env: {},
      url: '',
      headers: {},
      secretEnv: {},
      secretHeaders: {},
      disabled: false,
    };
    const key = { X: { value: 'some-key-1234' } };
    const url = 'http://127.0.0.1:9/mcp';
    await weft.call('SaveMCPServer', {
      was: '',
      server: { ...base, name: 'kept', type: 'stdio', command: 'x' },
    });
    await weft.call('SaveMCPServer', {
      was: '',
      server: { ...base, name: 'lost', type: 'stdio', command: 'x', secretEnv: key },
    });
    await weft.call('SaveMCPServer', {
      was: '',
      server: { ...base, name: 'web', type: 'http', url, secretHeaders: key },
    });
    await rm(join(weft.data, 'secrets.json'));
    const { puppet } = await weft.puppet('Robin');
    await weft.open(page);
    await page.getByRole('button', { name: '1 of 3 MCP servers' }).click();
    const list = page.getByRole('dialog', { name: 'MCP servers' });
    await expect(list).toContainText("no longer in Weft's encrypted file");
    await expect(list).toContainText("Robin doesn't support http servers");
    await accessible(page, 'MCP servers that were left out', 'all');
    expect((puppet.manners.servers ?? []).filter(others)).toEqual([
      expect.objectContaining({ name: 'kept' }),
    ]);
  });

  test(
    'one goes through Weft: its tools are chosen, agents are not handed it, and its trouble is told',
    deep,
    async ({ weft, page, ui }) => {
      await weft.call('SetSecretStore', { store: 'file' });
      const orchard = {
        name: 'orchard',
        type: 'stdio' as const,
        command: process.execPath,
        args: [scriptPath('mcp.mjs')],
        env: {},
        url: '',
        headers: {},
        secretHeaders: {},
        disabled: false,
      };
      const saved = await weft.call('SaveMCPServer', {
        was: '',
        server: { ...orchard, secretEnv: { ORCHARD_KEY: { value: 'root-key-3344' } } },
      });
      await open(weft, page, ui);
      const row = rowOf(page, 'orchard');
      await row.getByRole('button', { name: 'Actions for orchard' }).click();
      await shownMenu(page).getByRole('menuitem', { name: 'Edit' }).click();
      const edit = page.getByRole('dialog', { name: 'Edit orchard' });
      await expect(edit.getByRole('radio', { name: 'Direct' })).toBeChecked();
      await edit.getByText('Through Weft', { exact: true }).click();
      await expect(edit).toContainText('Test the server to choose which tools to offer.');
      await edit.getByRole('button', { name: 'Test' }).click();
      await expect(edit).toContainText('Works: orchard 2.1');
      await expect(edit.getByRole('list', { name: 'Tools' }).getByRole('listitem')).toHaveCount(2);
      await edit.getByLabel('How graft is offered').selectOption('Off');
      await edit.getByLabel('How prune is offered').selectOption('Display');
      await expect(edit.getByLabel('How calls to graft are shown')).toBeDisabled();
      await accessible(page, 'the tools of an MCP server that goes through Weft', 'all');
      await ui.picture('light-mcp-through');
      await edit.getByRole('button', { name: 'Save' }).click();
      await expect(row).toContainText('Through Weft');
      expect(await weft.call('MCPServers')).toEqual([
        expect.objectContaining({
          via: 'gateway',
          tools: {
            graft: expect.objectContaining({ off: true }),
            prune: expect.objectContaining({ display: true }),
          },
          troubles: [],
        }),
      ]);

      const { puppet } = await weft.puppet('Robin');
      await page.goto(weft.url);
      await page.getByRole('button', { name: /^1 MCP server/ }).click();
      const list = page.getByRole('dialog', { name: 'MCP servers' });
      await expect(list).toContainText('Offered to Robin through Weft');
      expect((puppet.manners.servers ?? []).filter(others)).toEqual([]);

      await weft.call('SaveMCPServer', {
        was: 'orchard',
        server: {
          ...orchard,
          via: 'gateway',
          env: { ORCHARD_KEY: 'twig' },
          secretEnv: {},
          tools: saved.tools,
        },
      });
      await list.getByRole('button', { name: 'Settings' }).click();
      await ui.inSection('MCP servers');
      await expect(row).toContainText('the key twig does not open the orchard');
      await expect(row).toContainText('Weft tries again from time to time.');
      await accessible(page, 'an MCP server that Weft cannot reach', 'all');
      await ui.picture('light-mcp-trouble');
    },
  );

  test('a test of one that never answers is called off, and nothing of it is left', async ({
    weft,
    page,
    ui,
  }) => {
    await writeFile(join(weft.folder, 'asleep-5521.mjs'), 'setInterval(() => {}, 1000);\n');
    await open(weft, page, ui);
    await section(page).getByRole('button', { name: 'Add server' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add an MCP server' });
    await dialog.getByLabel('Command', { exact: true }).last().fill(process.execPath);
    await dialog.getByLabel('Arguments').fill(join(weft.folder, 'asleep-5521.mjs'));
    await dialog.getByRole('button', { name: 'Test' }).click();
    await expect.poll(() => processes('asleep-5521.mjs')).toBeGreaterThan(0);
    await dialog.getByRole('button', { name: 'Stop the test' }).click();
    await expect.poll(() => processes('asleep-5521.mjs')).toBe(0);
  });
});

test.describe('in the dark and in little room', () => {
  test.use({ colorScheme: 'dark', viewport: { width: 760, height: 900 } });

  test('MCP servers, secrets and a sign-in can be read', deep, async ({ weft, page, ui }) => {
    await weft.call('SetSecretStore', { store: 'file' });
    const secretEnv = { ORCHARD_KEY: { value: 'root-key-3344' } };
    const args = [scriptPath('mcp.mjs')];
    const server = {
      name: 'orchard',
      type: 'stdio' as const,
      command: process.execPath,
      args,
      env: {},
      url: '',
      headers: {},
    };
    await weft.call('SaveMCPServer', {
      was: '',
      server: { ...server, secretEnv, secretHeaders: {}, disabled: false },
    });
    await weft.puppet('Robin', {
      wantsSignIn: true,
      initialize: {
        authMethods: [
          { id: 'tty', name: 'In a terminal', type: 'terminal', args: ['--login'] },
          { id: 'key', name: 'With a key', type: 'env_var', vars: [{ name: 'ROBIN_KEY' }] },
        ],
      },
    });
    await weft.open(page);
    await page.getByRole('button', { name: 'In a terminal' }).click();
    await expect(page.locator('.xterm-rows')).toContainText('The word:');
    await accessible(page, 'a sign-in in a terminal, dark', 'colours');
    await ui.picture('dark-760-sign-in-terminal');
    await page.getByRole('button', { name: 'With a key' }).click();
    await accessible(page, 'a sign-in with variables, dark', 'colours');
    await ui.picture('dark-760-sign-in-key');
    await page.keyboard.press('Escape');
    await ui.openSettings('MCP servers');
    await rowOf(page, 'orchard').getByRole('button', { name: 'Test' }).click();
    await expect(rowOf(page, 'orchard')).toContainText('Works: orchard 2.1');
    await accessible(page, 'MCP servers, dark', 'colours');
    await ui.picture('dark-760-mcp');
    await ui.showSection('Secrets');
    await accessible(page, 'secrets, dark', 'colours');
    await ui.picture('dark-760-secrets');
    await ui.showSection('MCP servers');
    await section(page).getByRole('button', { name: 'Add server' }).click();
    await page.getByRole('button', { name: 'Add variable' }).click();
    await accessible(page, 'the form of an MCP server, dark', 'colours');
    await ui.picture('dark-760-mcp-form');
  });
});
