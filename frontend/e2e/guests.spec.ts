import type { Page } from '@playwright/test';
import type { Space } from '../src/transport/api';
import { accessible } from './support/axe';
import { callGateway, draws, takesHttp } from './support/gateway';
import type { Puppet } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

// A run of one space that writes into another one, which is alive as long as that lasts.

interface Two {
  planner: Puppet;
  shop: Space;
  finance: Space;
}

async function two(weft: Weft, page: Page): Promise<Two> {
  const { puppet, agent, space } = await weft.puppet('Planner', { ...takesHttp, cancels: false });
  await weft.call('UpdateSpace', { spaceId: space.id, title: 'Shop' });
  const finance = await weft.space(agent.id, 'Finance');
  await weft.open(page);
  await expect(page.getByRole('navigation', { name: 'Spaces' })).toContainText('Finance');
  return { planner: puppet, shop: space, finance };
}

test.setTimeout(90_000);

const strip = (page: Page) => page.getByRole('list', { name: 'Working now' });

async function goTo(ui: Screen, title: string) {
  await ui.page
    .getByRole('navigation', { name: 'Spaces' })
    .getByRole('button', { name: new RegExp(title) })
    .first()
    .click();
}

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });

    async function see(page: Page, ui: Screen, name: string) {
      for (const [width, height] of [
        [1280, 800],
        [760, 700],
      ] as const) {
        await page.setViewportSize({ width, height });
        await ui.picture(`${theme}-guest-${name}${width === 760 ? '-760' : ''}`);
        await accessible(page, `${name}, ${width} wide`, theme === 'light' ? 'all' : 'colours');
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }

    test('a space shows who writes to it from where, and stops that run', async ({ weft, page, ui }) => {
      const { planner, shop, finance } = await two(weft, page);
      await goTo(ui, 'Shop');
      await ui.send('What would a laptop cost us?');
      const turn = await planner.turn();
      turn.say('I tell the finance people.');
      await draws(turn, planner, 'showCard', { title: 'Laptop', price: '$1,299' }, finance);
      await goTo(ui, 'Finance');

      // Behind a card is the cursor, too.
      const cursor = page.locator('.row[data-kind=tail] .cursor');
      await expect(cursor).toBeVisible();
      await expect(strip(page)).toContainText('Planner');
      await expect(strip(page)).toContainText('working in “Shop”');
      const stop = page.getByRole('button', { name: 'Stop the run of Planner in “Shop”' });
      await expect(stop).toBeVisible();
      await expect(page.getByRole('textbox', { name: /^Message / })).toHaveAttribute(
        'placeholder',
        /^Message/,
      );
      await expect(page.getByRole('button', { name: 'Stop (Esc)' })).toHaveCount(0);
      await see(page, ui, 'working');

      // It is there after a reload, leads to the run, and to the space.
      await page.reload();
      await expect(strip(page)).toContainText('working in “Shop”');
      const snapshot = await weft.call('OpenSpace', { spaceId: finance.id });
      expect(snapshot.runs).toMatchObject([{ spaceId: shop.id }]);
      await page.getByRole('button', { name: 'working in “Shop”' }).click();
      await expect(ui.text('I tell the finance people.')).toBeVisible();
      await goTo(ui, 'Finance');

      await stop.click();
      await expect(strip(page)).toContainText('Stopping');
      await turn.cancelled;
      turn.end('cancelled');
      await expect(strip(page)).toHaveCount(0);
      await expect(cursor).toHaveCount(0);
    });

    test('what is written where a run waits for a reply is its answer', async ({ weft, page, ui }) => {
      const { planner, finance } = await two(weft, page);
      await goTo(ui, 'Shop');
      await ui.send('Buy a laptop');
      const turn = await planner.turn();
      const heard = callGateway(planner, 'sendSpaceMessage', {
        spaceId: finance.id,
        text: 'How much may it cost?',
        wait: true,
      });
      await ui.waiting(1);
      await goTo(ui, 'Finance');

      const field = page.getByRole('textbox', { name: 'Answer Planner' });
      await expect(page.locator('.reply-line')).toContainText('Planner is waiting for a reply:');
      await see(page, ui, 'reply');
      await field.fill('At most 500.');
      await page.getByRole('button', { name: 'Send answer' }).click();
      expect(JSON.parse((await heard).text)).toMatchObject({ reply: 'At most 500.', from: 'the user' });
      await expect(ui.transcript.getByText('At most 500.')).toBeVisible();
      await expect(page.locator('.reply-line')).toHaveCount(0);
      await ui.waiting(0);
      turn.say('Thank you.');
      turn.end();
      await expect(strip(page)).toHaveCount(0);
      await see(page, ui, 'replied');
    });
  });
}
