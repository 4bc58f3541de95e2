import { rename } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
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
});
