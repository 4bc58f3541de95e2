import { accessible } from './support/axe';
import { said } from './support/puppet';
import { expect, test } from './support/test';

for (const theme of ['light', 'dark'] as const)
  test.describe(`outcomes in the ${theme}`, () => {
    test.use({ colorScheme: theme, viewport: { width: theme === 'light' ? 1200 : 760, height: 800 } });

    test('shows what results say, and retries a call that may work now', async ({ weft, page, ui }) => {
      const { puppet } = await weft.puppet();
      await weft.open(page);
      await ui.send('What is new?');
      const turn = await puppet.turn();
      const news = { title: 'Fetch news.example', kind: 'fetch', rawInput: { url: 'https://news.example' } };
      const down = { status: 'failed' as const, content: [said('HTTP 503 Service Unavailable')] };
      turn.did({ toolCallId: 'f1', ...news, ...down });
      turn.did({ toolCallId: 'f2', ...news, ...down });
      turn.did({
        toolCallId: 's',
        title: 'music: search_tracks',
        kind: 'other',
        content: [said('Found 12 tracks matching “jazz”:\n1. So What\n2. Naima')],
      });
      turn.did({
        toolCallId: 'x',
        title: 'shop: order',
        kind: 'other',
        rawOutput: [{ result: '', success: false, error: 'The kettle is sold out.' }],
      });
      const row = (title: string) => ui.transcript.locator('.tool').filter({ hasText: title });
      const fetched = row('Fetch news.example');
      await expect(fetched).toHaveCount(2);
      // The agent is still at it.
      await expect(ui.transcript.getByRole('button', { name: 'Retry' })).toHaveCount(0);
      turn.say('The site is down.');
      turn.end();
      await ui.idle();
      await ui.group(/./).click();
      const tracks = row('music: search_tracks');
      await expect(tracks.locator('.tool-note')).toHaveText('Found 12 tracks matching “jazz”');
      await expect(tracks.locator('.badge')).toHaveCount(0); // the summary says how many
      const order = row('shop: order');
      await expect(order).toHaveAttribute('data-status', 'failed');
      await order.locator('.tool-line').click();
      await expect(order).toContainText(
        'The agent reported “Done”, but the result says that the call failed.',
      );
      await fetched.nth(1).locator('.tool-line').click();
      await expect(fetched.nth(1)).toContainText('Failed again after a retry.');
      await ui.picture(`${theme}-retry`);
      await accessible(page, 'retry', theme === 'light' ? 'all' : 'colours');
      // The same call is twice, and is offered once.
      await fetched.first().locator('.tool-line').click();
      await expect(fetched.first()).toContainText('Retried below.');
      await expect(ui.transcript.getByRole('button', { name: 'Retry' })).toHaveCount(1);
      const retry = fetched.nth(1).getByRole('button', { name: 'Retry' });
      await retry.focus();
      await page.keyboard.press('Enter');
      const next = await puppet.turn();
      expect(next.text).toContain('Please try this tool call again: Fetch news.example');
      next.end();
      await ui.idle();
    });
  });
