import { rename } from 'node:fs/promises';
import de from '../src/i18n/de.json' with { type: 'json' };
import { accessible } from './support/axe';
import type { Manners } from './support/puppet';
import { expect, test } from './support/test';
import type { Weft } from './support/weft';

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
    await weft.open(page);
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
    ui,
  }) => {
    await german(weft);
    const { space } = await weft.puppet();
    await rename(weft.project, `${weft.project}-moved`);
    await weft.open(page);
    await weft.call('SendPrompt', { spaceId: space.id, text: 'How are the apples?' });
    await expect(ui.error).toContainText(`Der Ordner ${weft.project} kann nicht geöffnet werden.`);
    await weft.stop();
    await weft.start();
    await weft.open(page);
    await expect(ui.error).toContainText(`Der Ordner ${weft.project} kann nicht geöffnet werden.`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Language English');
    await page.keyboard.press('Enter');
    await expect(ui.error).toContainText(`The folder ${weft.project} can't be opened.`);
  });

  test('a keychain that is not there, and a wrong key', async ({ weft, page, ui }) => {
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
    await weft.open(page);
    await ui.error.getByRole('button', { name: 'With a key' }).click();
    await ui.error.locator('form').getByLabel('Robin key').fill('wrong-key-456');
    await page.keyboard.press('Enter');
    await expect(ui.error).toContainText('Kein Schlüsselbund des Systems erreichbar.');
    await ui.error.locator('.button', { hasText: 'verschlüsselte Datei' }).click();
    await expect(ui.error).toContainText('Robin konnte Sie nicht anmelden: Wrong key.');
  });

  test('settings that can not be written, and servers that are no JSON', async ({ weft, page }) => {
    await german(weft);
    await weft.puppet();
    await weft.open(page);
    await page.keyboard.press('Control+,');
    await page
      .getByRole('link', { name: 'MCP' })
      .or(page.getByRole('button', { name: 'MCP' }))
      .first()
      .click();
    await page.getByRole('button', { name: de.mcp.paste, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('{"mcpServers": {');
    await expect(dialog).toContainText('Dies ist kein JSON.');
  });
});
