import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { shownMenu } from './support/menu';
import { test as base, expect } from './support/test';
import { themes } from './support/themes';

// The model proxy: how it is chosen, what is said of log-ins by subscription, and what it has counted.

interface Model {
  url: string;
  /** The keys that it was asked with. */
  keys: string[];
}

const test = base.extend<{ model: Model }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from it
  model: async ({}, use) => {
    const keys: string[] = [];
    const server: Server = createServer((request, response) => {
      request.resume();
      keys.push(String(request.headers['x-api-key']));
      const n = keys.length;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`);
      const usage = { input_tokens: 1200 * n, cache_read_input_tokens: n > 1 ? 9000 : 0, output_tokens: 1 };
      write({ type: 'message_start', message: { model: 'claude-test', usage } });
      write({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
      write({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hm.' } });
      write({ type: 'content_block_stop', index: 0 });
      write({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 40 * n } });
      write({ type: 'message_stop' });
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys });
    server.closeAllConnections();
    server.close();
  },
});

const form = (page: Page) => page.getByRole('dialog', { name: /Thinker/ });
const field = (dialog: Locator) => dialog.getByRole('combobox', { name: 'Model proxy' });

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });

    test(
      'is chosen in the form of an agent by keyboard, which says why subscriptions are left alone',
      deep,
      async ({ weft, page, ui, model }) => {
        const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'test-key-0001' };
        const agent = await weft.script('Thinker', 'thinks.mjs', env);
        await weft.open(page);
        await ui.openSettings();
        await page.getByRole('button', { name: 'Actions for Thinker' }).click();
        await shownMenu(page).getByRole('menuitem', { name: 'Edit' }).click();
        const dialog = form(page);
        await dialog.getByText('More', { exact: true }).click();
        await field(dialog).scrollIntoViewIfNeeded();
        await expect(field(dialog)).toHaveValue('automatic');
        await expect(field(dialog)).toHaveAccessibleDescription(/^On: Weft found ANTHROPIC_BASE_URL\. /);
        await field(dialog).focus();
        await page.keyboard.press('ArrowDown');
        await expect(field(dialog)).toHaveValue('on');
        await expect(field(dialog)).toHaveAccessibleDescription(/subscription/);
        await page.keyboard.press('Tab');
        const names = dialog.getByRole('textbox', { name: 'More variables' });
        await expect(names).toBeFocused();
        // It has the focus, so it has to be in sight, above the buttons.
        const save = dialog.getByRole('button', { name: 'Save' });
        await expect
          .poll(async () => {
            const [field, button] = [await names.boundingBox(), await save.boundingBox()];
            return field !== null && button !== null && field.y + field.height <= button.y;
          })
          .toBe(true);
        await names.fill('MY_LLM_URL, OTHER_URL');
        await accessible(page, 'the form of an agent with the model proxy');
        await ui.picture(`${theme}-model-proxy`);
        await page.setViewportSize({ width: 760, height: 800 });
        await names.press('End');
        await expect(names).toBeInViewport();
        await ui.picture(`${theme}-model-proxy-narrow`);
        await save.click();
        await expect(dialog).toHaveCount(0);
        const agents = await weft.call('ListAgents');
        expect(agents?.find(({ id }) => id === agent.id)?.modelProxy).toEqual({
          variables: ['MY_LLM_URL', 'OTHER_URL'],
        });
      },
    );

    test('lists what each request of the last run has used', deep, async ({ weft, page, ui, model }) => {
      const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'test-key-0001' };
      const agent = await weft.script('Thinker', 'thinks.mjs', env);
      await weft.space(agent.id);
      await weft.open(page);
      await ui.send('Think');
      await expect(page.getByText('Thought 1. Thought 2. Thought 3.', { exact: true })).toBeVisible();
      await ui.idle();
      expect(model.keys).toEqual(['test-key-0001', 'test-key-0001', 'test-key-0001']);
      await page.getByRole('button', { name: 'Show usage' }).click();
      const popup = page.getByRole('dialog', { name: 'Show usage' });
      const summary = popup.getByText('3 requests in the last turn');
      await summary.focus();
      await page.keyboard.press('Enter');
      const rows = popup.getByRole('table').last().getByRole('row');
      await expect(rows).toHaveText([
        /No\..*In.*Cached.*Out/,
        /1\s*1.2K\s*–\s*40/,
        /2\s*2.4K\s*9K\s*80/,
        /3\s*3.6K\s*9K\s*120/,
      ]);
      await expect(popup).toContainText('claude-test');
      await accessible(page, 'the requests of a run');
      await ui.picture(`${theme}-usage-requests`);
      await page.setViewportSize({ width: 760, height: 800 });
      await expect(summary).toBeInViewport();
      await ui.picture(`${theme}-usage-requests-narrow`);
    });
  });
}
