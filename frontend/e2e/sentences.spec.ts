import { mkdir, open as openFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { ModelServer } from './support/models';
import { type Manners, said } from './support/puppet';
import { TestRegistry } from './support/registry';
import { clickAnswer } from './support/requests';
import { expect, test } from './support/test';
import type { Weft } from './support/weft';

/** As Weft.open, which knows the window by its English labels. */
async function open(weft: Weft, page: Page): Promise<void> {
  await page.goto(weft.firstLink() || weft.url);
  await expect(page.locator('.shell[data-rest="true"]')).toBeAttached();
}

const failed = (page: Page) => page.locator('.error-block');

const speak = (weft: Weft, language: 'de' | 'ja') =>
  weft.call('SaveAppearance', {
    theme: 'system',
    density: 'comfortable',
    textScale: 100,
    thoughts: 'in-place',
    language,
  });
const german = (weft: Weft) => speak(weft, 'de');

test.describe('in a German window, what the backend says is German:', () => {
  test('a command that is missing, whatever its name looks like', deep, async ({ weft, page, ui }) => {
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

  test('a keychain that is not there, and a wrong key', deep, async ({ weft, page }) => {
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

  test('an agent that ends, as it happens, and a wrong key of a model', deep, async ({ weft, page, ui }) => {
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
    await expect(page.locator('.start-error')).toHaveCount(0);
    await accessible(page, 'a key that is not accepted, in German');
    await ui.picture('sentences-german-key');
    await server.close();
  });

  test('a damaged database with a backup, and mistakes in own tools', deep, async ({ weft, page, ui }) => {
    await german(weft);
    await weft.stop();
    const backup = join(weft.data, 'backups', 'weft-2026-01-31-150405.zip');
    await mkdir(join(weft.data, 'backups'), { recursive: true });
    await writeFile(backup, Buffer.alloc(2_500_000));
    await mkdir(join(dirname(weft.settings), 'tools'));
    await writeFile(join(dirname(weft.settings), 'tools', 'a.json'), '{"name":"a b","color":"red"}');
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

  test(
    'mistakes of the settings file, in the banner and where something is saved',
    deep,
    async ({ weft, page, ui }) => {
      await german(weft);
      await weft.puppet();
      await open(weft, page);
      await writeFile(weft.settings, '{\n  "defaultAgent": 5,\n  "appearance": {"language": "de"}\n}');
      const banners = page.locator('.banners');
      await expect(banners).toContainText(
        'Die Einstellungsdatei enthält einen Fehler: „defaultAgent“ muss ein Text in Anführungszeichen sein. Weft verwendet die letzten gültigen Einstellungen.',
      );
      await page.keyboard.press('Control+k');
      await page.keyboard.type('Kompakte Darstellung');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('region', { name: /^Benachrichtigungen/ })).toContainText(
        `Korrigieren Sie ihn zuerst: ${weft.settings}:2:19: „defaultAgent“ muss ein Text in Anführungszeichen sein.`,
      );
      await accessible(page, 'a mistake of the settings, in German');
      await ui.picture('sentences-german-settings');
    },
  );

  test(
    "what Weft's own agent calls its modes, commands and answers, and what its calls have come to",
    deep,
    async ({ weft, page, ui }) => {
      await german(weft);
      const { id: spaceId } = await weft.space('guide');
      await open(weft, page);
      await weft.call('PrepareAgent', { spaceId, memberId: '' });
      const mode = page.getByRole('button', { name: /^Berechtigungen: .*Nachfragen/ });
      await mode.click();
      await expect(
        page.getByRole('menuitemradio', { name: /^Nur lesen/ }).filter({ hasText: 'ändert keine Dateien' }),
      ).toBeVisible();
      await ui.picture('sentences-german-modes');
      await page.keyboard.press('Escape');
      const composer = page.locator('.composer textarea');
      await composer.fill('/fi');
      await expect(page.getByRole('listbox')).toContainText(
        'Den Ordner nach einem Text oder Dateinamen durchsuchen',
      );
      await composer.fill('make a CONTRIBUTING file');
      await page.keyboard.press('Enter');
      const request = page.locator('.permission.request');
      await expect(request).toBeVisible();
      await request.getByRole('button', { name: 'Weitere Möglichkeiten zum Zulassen' }).click();
      const menu = page.getByRole('menu');
      await expect(menu).toContainText('Diese Änderung zulassen');
      await expect(menu).toContainText('Alle Änderungen in dieser Sitzung zulassen');
      await ui.picture('sentences-german-answers');
      await clickAnswer(menu, menu.getByRole('menuitem', { name: 'Diese Änderung zulassen' }));
      await expect(request).toHaveCount(0);
      const closed = page.locator('.group-line[aria-expanded="false"]');
      await expect(closed).toHaveCount(2);
      await closed.last().click();
      await closed.first().click();
      await expect(
        page.locator('.tool-note').filter({ hasText: /^CONTRIBUTING\.md angelegt, \d+ Zeilen$/ }),
      ).toBeVisible();
      await expect(
        page
          .locator('.tool-note')
          .filter({ hasText: /^\d+ Zeilen$/ })
          .first(),
      ).toBeVisible();
      await ui.picture('sentences-german-calls');
    },
  );

  test("an agent's own words stay as they are", deep, async ({ weft, page }) => {
    await german(weft);
    const { puppet, space } = await weft.puppet('Robin', {
      modes: { availableModes: [{ id: 'a', name: 'Ask' }], currentModeId: 'a' },
    });
    await open(weft, page);
    await weft.call('SendPrompt', { spaceId: space.id, text: 'go' });
    const turn = await puppet.turn();
    await expect(page.getByRole('button', { name: /^Berechtigungen: .*Ask/ })).toBeVisible();
    turn.did({
      toolCallId: '1',
      title: 'look',
      kind: 'other',
      status: 'completed',
      content: [said('None')],
    });
    turn.say('Your previous prompt was sent again with this one.');
    turn.end();
    await expect(page.locator('[data-kind="prose"]').last()).toHaveText(
      'Your previous prompt was sent again with this one.',
    );
    await expect(page.locator('.tool-note').filter({ hasText: 'None' })).toBeVisible();
  });

  for (const [language, note, used] of [
    ['de', 'Versuchen Sie es später erneut. Neuer Versuch in', 'Neuer Versuch'],
    ['ja', '後に再試行します（1）。', '再試行します'],
  ] as const)
    test(`notes of Weft in a conversation, stored in English (${language})`, async ({ weft, page, ui }) => {
      await speak(weft, language);
      const server = await ModelServer.listen();
      server.failures = 1;
      const model = { provider: 'openai', model: 'plum-mini', baseUrl: server.url, api: '' };
      await weft.call('SetSecretStore', { store: 'file' });
      const { id: agentId } = await weft.call('SaveAgent', {
        ...{ id: '', name: 'Plum', command: '', args: [], env: {}, cwd: 'space' },
        model,
        secretEnv: { OPENAI_API_KEY: { value: server.key } },
      });
      const { id: spaceId } = await weft.space(agentId);
      await open(weft, page);
      await weft.call('SendPrompt', { spaceId, text: 'How are the plums?' });
      const noted = page.locator('[data-kind="prose"][data-voice="app"]');
      await expect(noted).toContainText(note);
      await expect(page.locator('[data-kind="prose"]').last()).toHaveText('The plums are ripe.');
      await ui.picture(`sentences-note-${language}`);
      // It is stored as before, so that exports and other languages have it.
      const { page: stored } = await weft.call('OpenSpace', { spaceId });
      const texts = stored.messages.flatMap(({ segments }) =>
        segments.filter(({ author }) => author === 'app'),
      );
      expect(texts.map(({ text }) => text).join()).toMatch(/Trying again in \d\S* \(1\)\.$/);
      expect(await noted.textContent()).toContain(used);
      await server.close();
    });

  test('why an agent of the registry is refused', deep, async ({ weft, page, ui }) => {
    const registry = await TestRegistry.listen();
    registry.body = JSON.stringify({
      version: '1.0.0',
      agents: [
        {
          id: 'wren',
          name: 'Wren',
          version: '1.0.0',
          distribution: { npx: { package: 'wren' }, uvx: { package: 'git+https://x' } },
        },
        { id: 'Finch', name: 'Finch', version: '1.0.0' },
        { id: 'lark', name: 'Lark', version: '1.0.0', distribution: { npx: { package: '../lark' } } },
        { id: 'swift', name: 7 },
      ],
    });
    await writeFile(
      weft.settings,
      JSON.stringify({ registry: `${registry.url}/registry.json`, appearance: { language: 'de' } }),
    );
    await weft.stop();
    await weft.start();
    await weft.call('RefreshRegistry');
    await page.goto(`${weft.firstLink()}`);
    await expect(page.locator('.shell[data-rest="true"]')).toBeAttached();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Agenten durchsuchen');
    await page.keyboard.press('Enter');
    await ui.picture('sentences-german-registry');
    const list = page.getByRole('main');
    await page.locator('summary').click();
    await expect(list).toContainText(
      'Die ID ist ungültig. Sie darf Kleinbuchstaben, Ziffern und Bindestriche enthalten.',
    );
    await expect(list).toContainText('npx kann nicht verwendet werden: Das Paket ist kein einfacher Name.');
    await expect(list).toContainText(
      'Das Format des Eintrags entspricht nicht dem der Registry: name hat den Typ number.',
    );
    await ui.picture('sentences-german-refused');
    registry.close();
  });
});
