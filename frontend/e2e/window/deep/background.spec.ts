import { spawnSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { binary } from '../../support/binary';
import { Screen } from '../../support/screen';
import { Weft } from '../../support/weft';
import { led, openOnDesk } from '../desk';
import { missing } from '../window';

const absent = missing('dbus-daemon', 'xdotool', 'go');
test.skip(absent.length > 0, 'The window was not tested without its desktop: see window.spec.ts.');

/** Starts Weft again, as a user does from the menu or a terminal. It has no display: it must find the one that runs. */
function again(weft: Weft, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    binary(),
    [...args, '--data', weft.data, '--settings', weft.settings],
    {
      cwd: weft.project,
      env: weft.environment(),
      encoding: 'utf8',
    },
  );
  return { status, said: stdout + stderr };
}

test('agents keep running without the window, which a second start shows again', async () => {
  const { weft, puppet } = await led();
  const { bus, window, clear } = await openOnDesk(weft, { panel: true });
  try {
    const { page } = window.inspector;
    const ui = new Screen(page);
    const key = 'sk-orchard-0123456789';
    await page.evaluate(async (value) => {
      const { Invoke } = (
        window as unknown as { go: { main: { App: { Invoke(...of: string[]): Promise<string> } } } }
      ).go.main.App;
      await Invoke('SetSecretStore', JSON.stringify({ store: 'file' }));
      const agent = { id: '', name: 'Plum', command: 'plum', args: [], env: {}, cwd: 'space' };
      await Invoke('SaveAgent', JSON.stringify({ ...agent, secretEnv: { PLUM_KEY: { value } } }));
    }, key);
    await ui.send('Work');
    const turn = await puppet.turn();
    turn.say('Begun.');
    await expect(ui.text('Begun.')).toBeVisible();

    await window.pressClose();
    const dialog = page.getByRole('dialog', { name: '1 agent is working' });
    await expect(dialog).toBeVisible();
    await ui.picture('window-close');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await window.pressClose();
    await expect(dialog).toBeVisible();
    await dialog.getByRole('button', { name: 'Keep running' }).click();
    await expect.poll(() => window.visible()).toBe(false);
    expect(await bus.next(({ icon }) => icon !== undefined)).toMatchObject({
      icon: 'weft',
      menu: ['Show Weft', 'Quit Weft'],
    });

    // The agent continues, and the desktop tells how it ended. Its words are no markup.
    const asking = turn.ask({
      toolCallId: 'x',
      title: `Run <b>rm</b> & <a href="http://x.example">more</a> ${key}`,
      kind: 'execute',
    });
    const asked = await bus.next(({ notice }) => notice !== undefined);
    expect(asked).toMatchObject({ title: 'Work', urgency: 2 });
    expect(asked.body).toContain('Run &lt;b&gt;rm&lt;/b&gt; &amp; &lt;a href=');
    expect(asked.body).toMatch(/ \[secret\]$/);
    bus.act(`click ${asked.notice}`);
    await expect.poll(() => window.visible()).toBe(true);
    // The window need not have the keyboard.
    const inside = () => ui.permissions.evaluate((card) => card.contains(document.activeElement));
    await expect.poll(inside).toBe(true);
    expect(bus.asked.filter(({ notice }) => notice !== undefined)).toHaveLength(1);
    turn.end();
    await asking;
    await ui.idle();

    expect(again(weft)).toEqual({ status: 0, said: '' });
    await window.close();
  } finally {
    await clear();
  }
});

test('a start without the window shows the icon at once', async () => {
  const weft = await Weft.create();
  const { bus, window, clear } = await openOnDesk(weft, { panel: true, flags: ['--background'] });
  try {
    expect(await bus.next(({ icon }) => icon !== undefined)).toMatchObject({
      icon: 'weft',
      menu: ['Show Weft', 'Quit Weft'],
    });
    expect(window.visible()).toBe(false);
    // The panel ends and starts again, as after a crash.
    const icons = () => bus.asked.filter(({ icon }) => icon !== undefined).length;
    const before = icons();
    expect(before).toBe(1);
    bus.act('no panel');
    bus.act('panel');
    await expect.poll(icons).toBeGreaterThan(before);
    expect(bus.asked.filter(({ notice, error }) => notice ?? error)).toEqual([]);
    bus.act('activate');
    await expect.poll(() => window.visible()).toBe(true);
    await window.close();
  } finally {
    await clear();
  }
});

test('without a panel, a notification of the start says how the window comes back', async () => {
  const weft = await Weft.create();
  const { bus, window, clear } = await openOnDesk(weft, { flags: ['--background'] });
  try {
    const notices = () => bus.asked.filter(({ notice }) => notice !== undefined).length;
    await bus.next(({ title }) => title === 'Weft is running in the background');
    // The panel starts after Weft, as it may when the user signs in.
    bus.act('panel');
    await bus.next(({ icon }) => icon === 'weft');
    bus.act('menu 1');
    await expect.poll(() => window.visible()).toBe(true);
    expect(notices()).toBe(1);
    await window.close();
  } finally {
    await clear();
  }
});

test('a folder opens in the window that runs, and Weft starts with the system', async () => {
  const weft = await Weft.create();
  const { bus, window, clear } = await openOnDesk(weft, { flags: ['--background'] });
  try {
    const { page } = window.inspector;
    expect(window.visible()).toBe(false);
    const folder = join(weft.project, 'größe & 日本');
    await mkdir(folder);
    expect(again(weft, 'open', 'größe & 日本')).toEqual({ status: 0, said: '' });
    await expect.poll(() => window.visible()).toBe(true);
    await expect(page.getByText('größe & 日本').first()).toBeVisible();
    expect(again(weft, 'open', 'nowhere').said).toContain('There is no folder');

    await page.keyboard.press('Control+Comma');
    const entry = join(weft.home, '.config/autostart/weft.desktop');
    await page
      .getByRole('link', { name: 'Appearance' })
      .or(page.getByRole('button', { name: 'Appearance' }))
      .first()
      .click();
    await page.getByRole('checkbox', { name: 'Start Weft when you sign in' }).click();
    await expect.poll(() => readFile(entry, 'utf8').catch(() => '')).toContain(`--data=${weft.data}`);
    await page.getByText('Keep running', { exact: true }).click();
    await expect
      .poll(() => readFile(weft.settings, 'utf8').catch(() => ''))
      .toContain('"whenClosed": "background"');
    await new Screen(page).picture('window-background');
    await window.pressClose();
    await expect.poll(() => window.visible()).toBe(false);
    // Without a panel a notification says how the window comes back.
    const said = () => bus.asked.filter(({ title }) => title === 'Weft is running in the background').length;
    await expect.poll(said).toBe(2); // the first one when it started
    expect(again(weft)).toEqual({ status: 0, said: '' });
    await expect.poll(() => window.visible()).toBe(true);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Quit Weft');
    // The window may be gone before the key is released.
    await page.keyboard.press('Enter').catch(() => {});
    await window.ended();
  } finally {
    await clear();
  }
});
