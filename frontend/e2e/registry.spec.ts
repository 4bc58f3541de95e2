import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { Canary } from './support/canary';
import { deep } from './support/deep';
import { shownMenu } from './support/menu';
import { Puppet } from './support/puppet';
import { binaryEntry, npmEntry, TestRegistry } from './support/registry';
import { test as base, expect } from './support/test';
import type { Weft } from './support/weft';

const test = base.extend<{ registry: TestRegistry }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from this pattern
  registry: async ({}, use) => {
    const registry = await TestRegistry.listen();
    await use(registry);
    registry.close();
  },
});

const line = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Registry agents' }).getByRole('button', { name });
const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Registry agents' }).locator('.registry-agent').filter({ hasText: name });
const agentsFolder = (weft: Weft) => join(weft.data, 'agents');
const left = (weft: Weft) => (existsSync(agentsFolder(weft)) ? readdirSync(agentsFolder(weft)) : []);
interface Settings {
  agents: { id: string; command: string; args: string[]; env?: Record<string, string> }[];
}
const settings = (weft: Weft) => JSON.parse(readFileSync(weft.settings, 'utf8')) as Settings;

async function robin(
  weft: Weft,
  registry: TestRegistry,
  version: string,
  env: Record<string, string> = {},
  args: string[] = [],
) {
  const archive = await registry.agent(weft, version);
  return binaryEntry(
    { id: 'robin', name: 'Robin', version },
    { archive: archive.url, sha256: archive.sha256, cmd: './bin/robin', args, env },
  );
}

test('an agent is found, installed, used, updated and removed, by keyboard', async ({
  weft,
  page,
  ui,
  registry,
}) => {
  const puppet = await Puppet.listen();
  const env = { WEFT_PUPPET: puppet.socket };
  registry.list([
    await robin(weft, registry, '1.0.0', env),
    binaryEntry(
      { id: 'wren', name: 'Wren', version: '2.0.0' },
      { archive: 'https://example.com/wren.zip', cmd: 'wren' },
    ),
  ]);
  await registry.use(weft);
  const canary = await Canary.watch(page, weft.url);
  await weft.open(page);

  // From the first screen, where no other agent was found.
  await page.getByRole('button', { name: 'Browse agents' }).click();
  const search = page.getByRole('searchbox', { name: 'Search agents' });
  await expect(search).toBeFocused();
  await expect(page.getByText(`From 127.0.0.1`)).toBeVisible();
  await search.pressSequentially('robi');
  await expect(row(page, 'Wren')).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  await expect(line(page, 'Robin')).toBeFocused();
  await page.keyboard.press('Enter');
  const plan = page.getByRole('region', { name: 'Commands' });
  await expect(plan).toContainText(`${registry.url}/robin-1.0.0.tar.gz`);
  await expect(plan).toContainText('matches the registry');
  await expect(plan).toContainText(/\d\s?(B|KB)SHA/);
  await expect(plan).toContainText('bin/robin');
  await expect(plan).toContainText('WEFT_PUPPET=');
  await expect(row(page, 'Robin')).toContainText('third-party program');
  await accessible(page, 'an agent that is not installed');
  await ui.picture('registry-detail');

  let go = () => {};
  registry.hold = new Promise<void>((done) => {
    go = done;
  });
  const install = page.getByRole('button', { name: 'Install', exact: true });
  await install.focus();
  await page.keyboard.press('Enter');
  const bar = page.getByRole('progressbar', { name: 'Progress of Robin' });
  await expect(bar).toBeVisible();
  await expect(row(page, 'Robin')).toContainText(/Downloading · .* of /);
  await accessible(page, 'an installation in progress');
  await ui.picture('registry-progress');
  go();
  await expect(row(page, 'Robin').getByText('Robin 1.0.0 is installed.')).toBeVisible();
  await expect(row(page, 'Robin')).toContainText('Installed 1.0.0');
  await accessible(page, 'an agent that is installed');

  // Used for a prompt.
  await page.getByRole('button', { name: 'Open a space with it' }).click();
  await ui.send('hello');
  const turn = await puppet.turn();
  turn.say('Tweet.');
  turn.end();
  await expect(ui.text('Tweet.')).toBeVisible();
  await ui.idle();
  expect(settings(weft).agents[0]?.command).toBe(join(weft.data, 'agents/robin/1.0.0/files/bin/robin'));

  // A newer one, while the old one runs. What the user has changed stays.
  const mine = (await weft.call('ListAgents'))?.find(({ id }) => id === 'robin');
  await weft.call('SaveAgent', {
    id: 'robin',
    name: 'My robin',
    command: mine?.command ?? '',
    args: ['--mine'],
    env: { ...mine?.env, MINE: '1' },
    cwd: 'space',
  });
  registry.list([await robin(weft, registry, '1.1.0', { ...env, NEW: 'yes' }, ['--theirs'])]);
  await ui.command('Browse agents');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(row(page, 'Robin')).toContainText('Update available');
  await line(page, 'Robin').click();
  await page.getByRole('button', { name: 'Update to 1.1.0', exact: true }).click();
  await expect(row(page, 'Robin').getByText('Robin was updated to 1.1.0.')).toBeVisible();
  await ui.picture('registry-updated');
  expect(settings(weft).agents[0]).toMatchObject({
    command: join(weft.data, 'agents/robin/1.1.0/files/bin/robin'),
    args: ['--mine'],
    env: { MINE: '1', NEW: 'yes', WEFT_PUPPET: puppet.socket },
  });
  // The old one runs on, so it is still there.
  expect(existsSync(join(weft.data, 'agents/robin/1.0.0/files/bin/robin'))).toBe(true);

  // Removed: first it says what runs, and nothing is ended unasked.
  await page.getByRole('button', { name: 'Remove' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove Robin?' });
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(dialog.getByRole('alert')).toContainText('hello');
  expect(settings(weft).agents).toHaveLength(1);
  await accessible(page, 'removing an agent that runs');
  await ui.picture('registry-remove');
  await dialog.getByRole('button', { name: 'Stop and remove' }).click();
  await expect(dialog).toBeHidden();
  await expect(row(page, 'Robin')).not.toContainText('Installed');
  expect(left(weft)).toEqual([]);
  expect(settings(weft).agents).toEqual([]);
  // Its space stays and can be read.
  await ui.spaces.getByRole('button', { name: /hello/ }).first().click();
  await expect(ui.text('Tweet.')).toBeVisible();
  await canary.silent('the registry');
  puppet.close();
});

test(
  'an installation is called off, and one that fails says why; nothing is left of either',
  deep,
  async ({ weft, page, ui, registry }) => {
    const good = await registry.agent(weft, '1.0.0');
    const entry = (target: object) => [binaryEntry({ id: 'robin', name: 'Robin', version: '1.0.0' }, target)];
    registry.list(entry({ archive: good.url, cmd: 'bin/robin' }));
    await registry.use(weft);
    await weft.open(page);
    await ui.command('Browse agents');
    await line(page, 'Robin').click();
    await expect(
      page.getByText("The registry has no checksum, so this download can't be verified."),
    ).toBeVisible();
    const install = page.getByRole('button', { name: 'Install', exact: true });
    const asks = page.getByRole('region', { name: 'Download without a checksum' });
    await install.click();
    await expect(asks).toContainText(/from 127\.0\.0\.1 \([\d.]+\s?K?B\)/);
    expect(registry.downloads).toBe(0);
    await accessible(page, 'a download without a checksum');
    await ui.picture('registry-unverified');
    await asks.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByText('Installation canceled. Nothing was installed.')).toBeVisible();
    expect(registry.downloads).toBe(0);
    registry.hold = new Promise(() => {});
    await install.click();
    await asks.getByRole('button', { name: 'Install anyway' }).click();
    await expect(row(page, 'Robin')).toContainText('Downloading · ');
    expect(left(weft)).toEqual(['robin']);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByText('Installation canceled. Nothing was installed.')).toBeVisible();
    expect(left(weft)).toEqual([]);
    registry.hold = null;

    const fails = async (target: object, sentence: string | RegExp) => {
      registry.list(entry(target));
      await page.getByRole('button', { name: 'Refresh' }).click();
      await expect(page.getByRole('button', { name: 'Refresh' })).toBeEnabled();
      await page.getByRole('button', { name: 'Install', exact: true }).click();
      await expect(row(page, 'Robin').getByRole('alert')).toContainText(sentence);
      expect(left(weft)).toEqual([]);
      expect(settings(weft).agents).toEqual([]);
    };
    await fails(
      { archive: good.url, sha256: '0'.repeat(64), cmd: 'bin/robin' },
      "doesn't match the registry",
    );
    await page.getByText('Details').click();
    await expect(row(page, 'Robin')).toContainText(good.sha256);
    await accessible(page, 'an installation that failed');
    await page.emulateMedia({ colorScheme: 'dark' });
    await accessible(page, 'an installation that failed, in the dark', 'colours');
    await page.emulateMedia({ colorScheme: 'light' });
    await ui.picture('registry-failed');
    await fails({ archive: good.url, sha256: good.sha256, cmd: 'bin/wren' }, 'The archive has no "bin/wren"');
    await fails(
      { archive: `${registry.url}/gone.tar.gz`, sha256: good.sha256, cmd: 'bin/robin' },
      'answered with 404',
    );
    const html = registry.serve('page.tar.gz', Buffer.from('<!doctype html><title>Sign in</title>'));
    await fails(
      { archive: html.url, sha256: html.sha256, cmd: 'bin/robin' },
      'sent a page instead of the program',
    );
    const cut = registry.serve('cut.tar.gz', Buffer.from('1f8b0800000000000003edcf', 'hex'));
    await fails({ archive: cut.url, sha256: cut.sha256, cmd: 'bin/robin' }, 'The archive is damaged');
  },
);

test(
  'what a registry says is text and nothing more, and broken entries are told',
  deep,
  async ({ weft, page, ui, registry }) => {
    const archive = await registry.agent(weft, '1.0.0');
    const evil = '<img src=x onerror=alert(1)>\u202Egnp.exe';
    const target = { archive: archive.url, cmd: 'bin/robin', args: ['--a\nb', evil], env: { X: evil } };
    registry.list([
      binaryEntry(
        {
          id: 'evil',
          name: `Evil ${evil}`,
          version: '1.0.0',
          description: `[x](javascript:alert(1)) ${evil}`,
          icon: 'https://evil.test/icon.svg',
          repository: 'javascript:alert(1)',
          website: 'https://evil.test/<script>',
          license: evil,
          authors: [evil],
        },
        target,
      ),
      binaryEntry(
        { id: 'out', name: 'Out', version: '1.0.0' },
        { archive: archive.url, cmd: '../../bin/sh' },
      ),
      { id: 'Not An Id', name: 'Odd', version: '1', description: '', distribution: {} },
      binaryEntry(
        {
          id: 'mac',
          name: 'Mac only',
          version: '1.0.0',
          distribution: { binary: { 'windows-aarch64': target } },
        },
        {},
      ),
      'not even an object',
    ]);
    await registry.use(weft);
    const canary = await Canary.watch(page, weft.url);
    await weft.open(page);
    await ui.command('Browse agents');
    await line(page, 'Evil').click();
    await expect(row(page, 'Evil')).toContainText('<img src=x onerror=alert(1)>\\u{202e}gnp.exe');
    await expect(row(page, 'Evil')).toContainText('"--a\\nb"');
    await expect(row(page, 'Evil').locator('.registry-link').filter({ hasText: 'javascript' })).toHaveCount(
      0,
    );
    await page.getByText("3 entries can't be used").click();
    await expect(page.getByText('Its program is outside the archive.')).toBeVisible();
    await expect(page.getByText('Its id is invalid')).toBeVisible();
    await accessible(page, 'a hostile registry');
    await ui.picture('registry-hostile');
    await canary.silent('a hostile registry');
    await line(page, 'Mac only').click();
    await expect(row(page, 'Mac only')).toContainText('Available for windows-aarch64');
    await expect(page.getByRole('button', { name: 'Install', exact: true })).toHaveCount(0);

    // A source that fails leaves what is there, says why, and outlives a restart.
    registry.body = '<html>captive portal</html>';
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(page.getByText("Couldn't refresh the list: The source sent a web page")).toBeVisible();
    await expect(row(page, 'Evil')).toBeVisible();
    registry.status = 503;
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(page.getByText("Couldn't refresh the list: 127.0.0.1 answered with 503")).toBeVisible();
    await weft.stop();
    await weft.start();
    await weft.open(page);
    await ui.command('Browse agents');
    await expect(row(page, 'Evil')).toBeVisible();
    await page.getByRole('searchbox', { name: 'Search agents' }).fill('nothing is called this');
    await expect(page.getByText('No agents found.')).toBeVisible();
  },
);

test(
  'a Weft that is killed in the middle of an installation leaves nothing half',
  deep,
  async ({ weft, page, ui, registry }) => {
    registry.list([await robin(weft, registry, '1.0.0')]);
    await registry.use(weft);
    await weft.open(page);
    await ui.command('Browse agents');
    await line(page, 'Robin').click();
    registry.hold = new Promise(() => {});
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await expect(row(page, 'Robin')).toContainText('Downloading · ');
    expect(left(weft)).toEqual(['robin']);
    await weft.stop('SIGKILL');
    registry.hold = null;
    await weft.start();
    await expect.poll(() => left(weft)).toEqual([]);
    expect(settings(weft).agents).toEqual([]);
    await weft.open(page);
    await ui.command('Browse agents');
    await line(page, 'Robin').click();
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await expect(row(page, 'Robin').getByText('Robin 1.0.0 is installed.')).toBeVisible();
  },
);

test(
  'an agent that is taken out of the settings goes with the next start, unless that is undone',
  deep,
  async ({ weft, page, ui, registry }) => {
    registry.list([await robin(weft, registry, '1.0.0')]);
    await registry.use(weft);
    await expect.poll(async () => (await weft.call('Registry')).agents[0]?.id).toBe('robin');
    const revision = (await weft.call('Registry')).agents[0]?.revision ?? '';
    // What the user has not seen is not installed.
    await expect(
      weft.call('InstallAgent', { id: 'robin', revision: 'other', kind: 'binary' }),
    ).rejects.toThrow('Review it again');
    await weft.call('InstallAgent', { id: 'robin', revision, kind: 'binary' });
    await expect.poll(async () => (await weft.call('Registry')).installs[0]?.state).toBe('done');
    await weft.open(page);
    await ui.openSettings();
    const remove = async () => {
      await page.getByRole('button', { name: 'Actions for Robin' }).click();
      await shownMenu(page).getByRole('menuitem', { name: 'Remove' }).click();
      await expect(page.getByText('Installed by Weft, 1.0.0')).toBeHidden();
    };
    await expect(page.getByText('Installed by Weft, 1.0.0')).toBeVisible();
    await accessible(page, 'the settings with an installed agent');
    await ui.picture('registry-settings');
    await remove();
    await ui.notices.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('Installed by Weft, 1.0.0')).toBeVisible();
    await weft.stop();
    await weft.start();
    await weft.open(page);
    await ui.openSettings();
    await expect(page.getByText('Installed by Weft, 1.0.0')).toBeVisible();
    expect(left(weft)).toEqual(['robin']);
    await remove();
    expect(left(weft)).toEqual(['robin']);
    await weft.stop();
    await weft.start();
    await expect.poll(() => left(weft)).toEqual([]);
  },
);

test(
  'a version that is replaced goes once nothing runs from it, and its end is told wherever one is',
  deep,
  async ({ weft, page, ui, registry }) => {
    const puppet = await Puppet.listen();
    const env = { WEFT_PUPPET: puppet.socket };
    const install = async (version: string) => {
      registry.list([await robin(weft, registry, version, env)]);
      const entry = (await weft.call('RefreshRegistry')).agents[0];
      await weft.call('InstallAgent', { id: 'robin', revision: entry?.revision ?? '', kind: 'binary' });
    };
    await registry.use(weft);
    await weft.open(page);
    await install('1.0.0');
    await expect(ui.notices).toContainText('Robin 1.0.0 is installed.');
    const space = await weft.space('robin');
    await weft.call('PrepareAgent', { spaceId: space.id, memberId: '' });
    await install('1.1.0');
    await expect.poll(() => settings(weft).agents[0]?.command).toContain('/1.1.0/');
    expect(readdirSync(join(agentsFolder(weft), 'robin')).sort()).toEqual(['1.0.0', '1.1.0']);
    await weft.call('DeleteSpace', { spaceId: space.id });
    await expect
      .poll(() => readdirSync(join(agentsFolder(weft), 'robin')), { timeout: 30_000 })
      .toEqual(['1.1.0']);
    puppet.close();
  },
);

test(
  'install scripts of an npm package are shown, and run only after a yes',
  deep,
  async ({ weft, page, ui, registry }) => {
    const script = 'echo ran > ../../../../../../../ran';
    const ran = () => existsSync(join(weft.folder, 'ran'));
    await registry.publish(weft, {
      name: 'robin',
      version: '1.0.0',
      bin: 'robin.js',
      scripts: { postinstall: script },
      hasInstallScript: true,
    });
    registry.list([npmEntry({ id: 'robin', name: 'Robin', version: '1.0.0' }, 'robin')]);
    await registry.use(weft);
    await weft.open(page);
    await ui.command('Browse agents');
    await line(page, 'Robin').click();
    await expect(row(page, 'Robin')).toContainText('npm install --ignore-scripts robin@1.0.0');
    const install = page.getByRole('button', { name: 'Install', exact: true });
    const asks = page.getByRole('region', { name: 'Install scripts' });
    await install.click();
    await expect(asks.getByRole('listitem')).toHaveText(`robin 1.0.0 · postinstall${script}`);
    await accessible(page, 'install scripts');
    await ui.picture('registry-scripts');
    await page.emulateMedia({ colorScheme: 'dark' });
    await accessible(page, 'install scripts, in the dark', 'colours');
    await ui.picture('registry-scripts-dark');
    await page.emulateMedia({ colorScheme: 'light' });

    await asks.getByRole('button', { name: 'Install without scripts' }).click();
    await expect(row(page, 'Robin').getByText('Robin 1.0.0 is installed.')).toBeVisible();
    await expect(row(page, 'Robin')).toContainText("The install scripts of 1 package (robin) didn't run.");
    expect(ran()).toBe(false);
    await ui.picture('registry-scripts-skipped');

    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await install.click();
    await asks.getByRole('button', { name: 'Run scripts' }).click();
    await expect(row(page, 'Robin').getByText('Robin 1.0.0 is installed.')).toBeVisible();
    expect(ran()).toBe(true);
  },
);
