import { mkdir, open as openFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { ModelServer } from './support/models';
import type { Manners } from './support/puppet';
import { expect, test } from './support/test';
import type { Weft } from './support/weft';

/** As Weft.open, which knows the window by its English labels. */
async function open(weft: Weft, page: Page): Promise<void> {
  await page.goto(weft.firstLink() || weft.url);
  await expect(page.locator('.shell[data-rest="true"]')).toBeAttached();
}

const failed = (page: Page) => page.locator('.error-block');

const german = (weft: Weft) =>
  weft.call('SaveAppearance', {
    theme: 'system',
    density: 'comfortable',
    textScale: 100,
    thoughts: 'in-place',
    language: 'de',
  });

test.describe('in a German window, what the backend says is German:', () => {
  test('a command that is missing, whatever its name looks like', async ({ weft, page, ui }) => {
    await german(weft);
    const name = '<b>{{command}}{0}%s$&';
    const { id } = await weft.agent('OpenCode', name, []);
    await weft.space(id);
    await open(weft, page);
    const unready = page.getByRole('status').filter({ hasText: 'OpenCode' });
    await expect(unready).toContainText(`${name} wurde nicht im PATH gefunden.`);
    await expect(unready).toContainText('Korrigieren Sie den Befehl in den Einstellungen');
    await expect(unready.locator('b')).toHaveCount(0);
    await accessible(page, 'an agent that is not ready, in German');
    await ui.picture('sentences-german');
  });

  test('a folder that is gone, also after Weft was started again, and in English again', async ({
    weft,
    page,
  }) => {
    await german(weft);
    const { space } = await weft.puppet();
    await rename(weft.project, `${weft.project}-moved`);
    await open(weft, page);
    await weft.call('SendPrompt', { spaceId: space.id, text: 'How are the apples?' });
    await expect(failed(page)).toContainText(`Der Ordner ${weft.project} kann nicht geöffnet werden.`);
    await weft.stop();
    await weft.start();
    await open(weft, page);
    await expect(failed(page)).toContainText(`Der Ordner ${weft.project} kann nicht geöffnet werden.`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Language English');
    await page.keyboard.press('Enter');
    await expect(failed(page)).toContainText(`The folder ${weft.project} can't be opened.`);
  });

  test('a keychain that is not there, and a wrong key', async ({ weft, page }) => {
    await german(weft);
    const manners: Manners = {
      initialize: {
        authMethods: [
          {
            id: 'key',
            name: 'With a key',
            type: 'env_var',
            vars: [{ name: 'ROBIN_KEY', label: 'Robin key' }],
          },
        ],
      },
      wantsSignIn: true,
      rightKey: 'right-key-123',
    };
    const { space } = await weft.puppet('Robin', manners);
    await weft.call('SendPrompt', { spaceId: space.id, text: 'go' });
    await open(weft, page);
    await failed(page).getByRole('button', { name: 'With a key' }).click();
    await failed(page).locator('form').getByLabel('Robin key').fill('wrong-key-456');
    await page.keyboard.press('Enter');
    await expect(failed(page)).toContainText('Kein Schlüsselbund des Systems erreichbar.');
    await failed(page).locator('.button', { hasText: 'verschlüsselte Datei' }).click();
    await expect(failed(page)).toContainText('Robin konnte Sie nicht anmelden: Wrong key.');
  });

  test('an agent that ends, as it happens, and a wrong key of a model', async ({ weft, page, ui }) => {
    await german(weft);
    const server = await ModelServer.listen();
    const crash = await weft.agent('Robin', 'sh', ['-c', 'exit 3']);
    const { id } = await weft.space(crash.id, 'Ends');
    const model = { provider: 'openai', model: 'plum-mini', baseUrl: server.url, api: '' };
    const plum = await weft.call('SaveAgent', {
      id: '',
      name: 'Plum',
      command: '',
      args: [],
      env: {},
      cwd: 'space',
      model,
    });
    await open(weft, page);
    await weft.call('SendPrompt', { spaceId: id, text: 'How are the apples?' });
    await expect(failed(page)).toContainText('Robin wurde mit Code 3 beendet.');
    const { id: spaceId } = await weft.space(plum.id, 'Key');
    await page.locator('.space-button').filter({ hasText: 'Key' }).click();
    await weft.call('SendPrompt', { spaceId, text: 'How are the plums?' });
    await expect(failed(page)).toContainText(
      `${server.host} akzeptiert den Schlüssel nicht (401): No key. Melden Sie sich mit einem gültigen Schlüssel an, oder setzen Sie OPENAI_API_KEY.`,
    );
    await expect(failed(page)).toContainText('Ein API-Schlüssel, den das Programm speichert.');
    // The sign-in is under the error, and nowhere else.
    await expect(page.locator('.unready')).toHaveCount(0);
    await accessible(page, 'a key that is not accepted, in German');
    await ui.picture('sentences-german-key');
    await server.close();
  });

  test('a damaged database with a backup, and mistakes in own tools', async ({ weft, page, ui }) => {
    await german(weft);
    await weft.stop();
    const backup = join(weft.data, 'backups', 'weft-2026-01-31-150405.zip');
    await mkdir(join(weft.data, 'backups'), { recursive: true });
    await writeFile(backup, Buffer.alloc(2_500_000));
    await mkdir(join(weft.folder, 'tools'));
    await writeFile(join(weft.folder, 'tools', 'a.json'), '{"name":"a b","color":"red"}');
    const database = await openFile(join(weft.data, 'weft.db'), 'r+');
    await database.write('damage'.repeat(200), 0);
    await database.close();
    await weft.start();
    await open(weft, page);
    const banners = page.locator('.banners');
    await expect(banners).toContainText('Die Datenbank Ihrer Unterhaltungen war beschädigt.');
    await expect(banners).toContainText('die Sicherung vom 31.01.2026, 15:04 (2,4\u202fMB)');
    await expect(banners).toContainText(`„weft restore ${backup}“`);
    await expect(banners).toContainText('Ein eigenes Tool konnte nicht geladen werden. Der Name "a b" muss');
    await banners.getByRole('button').click();
    await expect(page.locator('.own-tools')).toContainText('Das Feld "color" wird ignoriert');
    await accessible(page, 'banners in German');
    await ui.picture('sentences-german-banners');
  });
});
