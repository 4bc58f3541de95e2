import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { shownMenu } from './support/menu';
import { ModelServer } from './support/models';
import { test as base, expect } from './support/test';

const test = base.extend<{ server: ModelServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from it
  server: async ({}, use) => {
    const server = await ModelServer.listen();
    await use(server);
    await server.close();
  },
});

const adding = (page: Page) => page.getByRole('dialog', { name: 'Add agent' });
const rowOf = (page: Page, name: string) =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: new RegExp(`^${name} ?Custom`) }) });

test.describe('a model with your own key', () => {
  test('is added at the first start: wrong key, right key, chosen from the list', async ({
    weft,
    page,
    ui,
    server,
  }) => {
    await weft.call('SetSecretStore', { store: 'file' });
    await weft.open(page);
    await page.getByRole('button', { name: 'Use a model with your key' }).click();
    const dialog = adding(page);
    await expect(dialog.getByRole('radio', { name: 'A model with your key' })).toBeChecked();
    await expect(dialog.getByRole('radio', { name: /^OpenAI/ })).toBeChecked();
    await expect(dialog.getByLabel('Key', { exact: true })).toHaveAccessibleDescription(
      /asks you to sign in/,
    );
    await accessible(page, 'a model with a key');
    await ui.picture('light-model');

    await dialog.getByRole('radio', { name: /^Compatible server/ }).check();
    await dialog.getByLabel('Address', { exact: true }).fill(server.url);
    await dialog.getByLabel('Key', { exact: true }).fill('wrong-key-000111');
    await dialog.getByRole('combobox', { name: 'Model' }).focus();
    await expect(dialog).toContainText(`${server.host} doesn't accept the key (401)`);
    await expect(dialog).not.toContainText('wrong-key-000111');
    await accessible(page, 'a key that is not accepted');
    await ui.picture('light-model-wrong-key');
    await dialog.getByRole('combobox', { name: 'Model' }).fill('anything');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await expect(dialog.locator('.test-box')).toContainText("doesn't accept the key (401)");

    await dialog.getByLabel('Key', { exact: true }).fill(server.key);
    await expect(dialog).not.toContainText("doesn't accept the key");
    await expect(dialog).toContainText('In an encrypted file');
    const model = dialog.getByRole('combobox', { name: 'Model' });
    await model.fill('');
    await expect(dialog).toContainText('3 models available');
    await model.press('ArrowDown');
    await expect(page.getByRole('option')).toHaveText(['apple-7b', 'pear-30b', 'plum-mini']);
    await accessible(page, 'the models of a provider');
    await ui.picture('light-model-list');
    await model.fill('plu');
    await expect(page.getByRole('option')).toHaveText(['plum-mini']);
    await model.press('ArrowDown');
    await model.press('Enter');
    await expect(model).toHaveValue('plum-mini');
    await expect(dialog.getByLabel('Name')).toHaveValue('plum-mini');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await expect(dialog).toContainText('Works, answered in');
    await dialog.getByRole('button', { name: 'Add agent' }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('radio', { name: /^plum-mini/ })).toBeChecked();
    await expect(page.getByRole('radio', { name: /^plum-mini/ }).locator('..')).toContainText(server.host);

    const text = await readFile(weft.settings, 'utf8');
    expect(text).not.toContain(server.key);
    const kept = JSON.parse(text);
    expect(kept.agents).toEqual([
      expect.objectContaining({
        id: 'plum-mini',
        model: { provider: 'openai', model: 'plum-mini', baseUrl: server.url },
      }),
    ]);
    expect(kept.agentSecrets['plum-mini'].OPENAI_API_KEY).toMatch(/^file:/);
    expect(server.asked.filter((key) => key !== server.key)).not.toHaveLength(0);
    expect(server.asked.at(-1)).toBe(server.key);

    await page.getByRole('textbox', { name: 'First prompt' }).fill('Are they ripe?');
    await page.keyboard.press('Enter');
    await expect(ui.text('The plums are ripe.')).toBeVisible();
    await ui.idle();
    await ui.picture('light-model-speaks');
  });

  test(
    'is edited with the key that is kept, duplicated, removed and brought back',
    deep,
    async ({ weft, page, ui, server }) => {
      await weft.call('SetSecretStore', { store: 'file' });
      await weft.call('SaveAgent', {
        id: '',
        name: 'Pear',
        command: '',
        args: [],
        env: {},
        cwd: 'space',
        secretEnv: { OPENAI_API_KEY: { value: server.key } },
        model: { provider: 'openai', model: 'pear-30b', baseUrl: server.url },
      });
      await weft.open(page);
      await ui.openSettings();
      const row = rowOf(page, 'Pear');
      await expect(row).toContainText(`pear-30b · ${server.host}`);
      await row.getByRole('button', { name: 'Actions for Pear', exact: true }).click();
      await shownMenu(page).getByRole('menuitem', { name: 'Edit' }).click();
      const edit = page.getByRole('dialog', { name: 'Edit Pear' });
      await expect(edit.getByRole('radio', { name: /^Compatible server/ })).toBeChecked();
      await expect(edit.getByLabel('Key', { exact: true })).toHaveValue('');
      await expect(edit).toContainText('3 models available');
      expect(server.asked).toEqual([server.key]);
      await edit.getByRole('combobox', { name: 'Model' }).fill('quince-preview');
      await expect(edit).toContainText(`${server.host} doesn't list “quince-preview”`);
      await accessible(page, 'a model that is edited');
      await ui.picture('light-model-edit');
      await edit.getByRole('button', { name: 'Save' }).click();
      await expect(edit).toBeHidden();
      await expect(row).toContainText('quince-preview');

      await row.getByRole('button', { name: 'Actions for Pear', exact: true }).click();
      await shownMenu(page).getByRole('menuitem', { name: 'Duplicate' }).click();
      const copy = rowOf(page, 'Pear copy');
      await expect(copy).toContainText(`quince-preview · ${server.host}`);
      await copy.getByRole('button', { name: 'Actions for Pear copy' }).click();
      await shownMenu(page).getByRole('menuitem', { name: 'Remove' }).click();
      await expect(copy).toHaveCount(0);
      await ui.notices.getByRole('button', { name: 'Undo' }).click();
      await expect(copy).toContainText(`quince-preview · ${server.host}`);
      const kept = JSON.parse(await readFile(weft.settings, 'utf8'));
      expect(kept.agents.map(({ model }: { model: unknown }) => model)).toEqual([
        { provider: 'openai', model: 'quince-preview', baseUrl: server.url },
        { provider: 'openai', model: 'quince-preview', baseUrl: server.url },
      ]);

      // The key that belongs to one provider is not sent to another.
      await row.getByRole('button', { name: 'Actions for Pear', exact: true }).click();
      await shownMenu(page).getByRole('menuitem', { name: 'Edit' }).click();
      await edit.getByRole('radio', { name: /^Anthropic/ }).check();
      await edit.getByRole('button', { name: 'Save' }).click();
      await expect(row).toContainText('· Anthropic');
      expect(JSON.parse(await readFile(weft.settings, 'utf8')).agentSecrets['pear']).toBeUndefined();
    },
  );

  test('says that nobody is at the address, and that there are no models', async ({
    weft,
    page,
    ui,
    server,
  }) => {
    await weft.open(page);
    await ui.openSettings();
    await page.getByRole('button', { name: 'Add agent' }).click();
    const dialog = adding(page);
    await expect(dialog.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused();
    await dialog.getByRole('radio', { name: 'A model with your key' }).check();
    await dialog.getByRole('radio', { name: /^Compatible server/ }).check();
    const address = dialog.getByLabel('Address', { exact: true });
    const model = dialog.getByRole('combobox', { name: 'Model' });
    await address.fill('localhost:1234');
    await model.fill('x');
    await dialog.getByRole('button', { name: 'Add agent' }).click();
    await expect(dialog.getByRole('alert')).toContainText(
      'Enter an address that starts with http:// or https://',
    );
    await address.fill('http://127.0.0.1:9/v1');
    await model.focus();
    await expect(dialog).toContainText('No answer from 127.0.0.1:9');
    await accessible(page, 'nobody at the address');
    server.models = [];
    await address.fill(server.url);
    await dialog.getByLabel('Key', { exact: true }).fill(server.key);
    await model.focus();
    await expect(dialog).toContainText(`No models found at ${server.host}`);
    server.models = ['fig'];
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await expect(dialog).toContainText("doesn't list “x”");
    await model.fill('fig');
    await expect(dialog).toContainText('1 model available');
  });

  test('asks for the key where none was given', async ({ weft, page }) => {
    await weft.call('SetSecretStore', { store: 'file' });
    const agent = await weft.call('SaveAgent', {
      id: '',
      name: 'Fig',
      command: '',
      args: [],
      env: {},
      cwd: 'space',
      model: { provider: 'anthropic' },
    });
    await weft.space(agent.id);
    await weft.open(page);
    await expect(page.getByRole('main')).toContainText(
      'There is no key for Anthropic. Sign in with a valid key, or set ANTHROPIC_API_KEY.',
    );
    await expect(page.getByRole('main')).toContainText('API key for Anthropic');
  });

  test('fits narrow windows and the dark', deep, async ({ weft, page, ui }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 760, height: 700 });
    await weft.open(page);
    await page.getByRole('button', { name: 'Use a model with your key' }).click();
    const dialog = adding(page);
    await dialog.getByRole('radio', { name: /^OpenAI/ }).focus();
    // The cards are one group of radio buttons.
    await page.keyboard.press('ArrowRight');
    await expect(dialog.getByRole('radio', { name: /^Anthropic/ })).toBeChecked();
    await expect(dialog.getByRole('combobox', { name: 'Model' })).not.toHaveValue('');
    await dialog.getByText('More', { exact: true }).click();
    await expect(dialog.getByLabel('Base URL')).toBeVisible();
    await accessible(page, 'a model in the dark');
    await ui.picture('dark-model-760');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('button', { name: 'Use a model with your key' })).toBeFocused();
  });
});
