import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { Screen } from '../../support/screen';
import { Weft } from '../../support/weft';
import { led, openOnDesk } from '../desk';
import { missing, Window } from '../window';

const absent = missing('dbus-daemon', 'xdotool', 'go');
test.skip(absent.length > 0, 'The window was not tested without its desktop: see window.spec.ts.');

const look = { theme: 'system', density: 'comfortable', textScale: 100, thoughts: 'in-place' };

/** Runs a command as the page does. */
function invoke(page: Page, command: string, request: unknown): Promise<string> {
  return page.evaluate(
    ([name = '', text = '']) =>
      (
        window as unknown as { go: { main: { App: { Invoke(...of: string[]): Promise<string> } } } }
      ).go.main.App.Invoke(name, text),
    [command, JSON.stringify(request)],
  );
}

/** Chooses a language, and waits until the page is drawn in it. */
async function speak(page: Page, language: string): Promise<void> {
  await invoke(page, 'SaveAppearance', { ...look, language });
  await expect(page.locator('html')).toHaveAttribute('lang', language);
}

/** Begins a command that opens a dialog of the desktop, so many times. It waits for the dialog, and the test doesn't. */
async function ask(page: Page, command: string, request: unknown, times = 1): Promise<void> {
  await page.evaluate(
    ({ name, text, times }) => {
      const { Invoke } = (
        window as unknown as { go: { main: { App: { Invoke(...of: string[]): Promise<string> } } } }
      ).go.main.App;
      for (let i = 0; i < times; i++) void Invoke(name, text);
    },
    { name: command, text: JSON.stringify(request), times },
  );
}

test('the menu of the icon, dialogs and the last question are in the language of the page', async () => {
  const { weft, puppet } = await led();
  const { bus, window, clear } = await openOnDesk(weft, { panel: true });
  try {
    const { page } = window.inspector;
    const ui = new Screen(page);
    await ui.send('Work');
    const turn = await puppet.turn();
    turn.say('Begun.');
    await expect(ui.text('Begun.')).toBeVisible();

    await speak(page, 'de');
    await invoke(page, 'CloseWindow', { how: 'background' });
    await expect.poll(() => window.visible()).toBe(false);
    await bus.next(({ menu }) => menu?.join() === 'Weft anzeigen,Weft beenden');
    // The menu follows while the window isn't there.
    await speak(page, 'ja');
    await bus.next(({ menu }) => menu?.join() === 'Weft を表示,Weft を終了');
    bus.act('activate');
    await expect.poll(() => window.visible()).toBe(true);

    // What looks for titles reads no others than these letters. No dialog is closed: its keys could reach the page.
    await speak(page, 'es');
    await ask(page, 'PickFolder', { path: weft.project });
    await window.showsDialog('Elegir una carpeta');
    await ask(page, 'SavePermissionHistory', { spaceId: '', query: '', cursor: '', format: 'csv' });
    await window.showsDialog('Guardar el historial de permisos');
    await window.pressClose();
    await expect(page.getByRole('dialog')).toBeVisible();
    await window.pressClose();
    await window.showsDialog('Salir de Weft');
    // The system ends Weft whatever is open.
    process.kill(window.pid, 'SIGTERM');
    await window.ended();
  } finally {
    await clear();
  }
});

test('the system ends Weft while dialogs are being opened', async () => {
  const weft = await Weft.create();
  const window = await Window.open(weft);
  try {
    const { page } = window.inspector;
    await page.getByRole('heading', { name: 'Welcome to Weft' }).waitFor();
    // Most of them come when the end has begun.
    await ask(page, 'PickFolder', { path: weft.project }, 12);
    process.kill(window.pid, 'SIGTERM');
    await window.ended();
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});

test('the notification that Weft keeps running is in the language of the environment', async () => {
  const weft = await Weft.create();
  const environment = { LANG: 'de_AT.UTF-8', LANGUAGE: '' };
  const { bus, window, clear } = await openOnDesk(weft, { environment });
  try {
    const { page } = window.inspector;
    await expect(page.getByRole('button', { name: 'Einstellungen', exact: true })).toBeVisible();
    await invoke(page, 'SaveBackground', { whenClosed: 'background', atLogin: null });
    await window.pressClose();
    expect(await bus.next(({ title }) => title !== undefined)).toMatchObject({
      title: 'Weft läuft im Hintergrund weiter',
      body: 'Um das Fenster wieder zu zeigen, Weft erneut starten.',
      actions: ['default', 'Anzeigen'],
    });
    await window.close();
  } finally {
    await clear();
  }
});

test('a window that can’t start says why in the language that was chosen', async () => {
  const weft = await Weft.create();
  await weft.start();
  await weft.call('SaveAppearance', { ...look, language: 'de' } as never);
  // Another one serves a browser with the same data.
  let window = await Window.open(weft);
  try {
    let { page } = window.inspector;
    await expect(page.getByRole('heading')).toHaveText('Weft konnte nicht gestartet werden');
    await expect(page.getByRole('alert')).toContainText('Weft läuft bereits für einen Browser');
    await expect(page.getByRole('alert')).toContainText('Es wurde nichts geändert.');
    await expect(page.getByRole('button')).toHaveCount(0);
    await new Screen(page).picture('window-in-use');
    await window.close(1);
    await weft.stop();

    // The version of the database is in its header, and is one of the future.
    const file = await open(join(weft.data, 'weft.db'), 'r+');
    await file.write(Buffer.from([0, 0, 0x7f, 0xff]), 0, 4, 60);
    await file.close();
    window = await Window.open(weft, {}, '--background');
    ({ page } = window.inspector);
    await expect(page.getByRole('alert')).toContainText('mit einer neueren Version von Weft');
    // The system has started it without its window, but this has to be seen.
    await expect.poll(() => window.visible()).toBe(true);
    await new Screen(page).picture('window-newer');
    await window.pressClose().catch(() => {});
    await window.ended(1);
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});
