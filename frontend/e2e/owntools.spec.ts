import { accessible } from './support/axe';
import { draws, ownTool, takesHttp } from './support/gateway';
import { clickAnswer } from './support/requests';
import { expect, test } from './support/test';
import { themes } from './support/themes';

// The shop example: own cards that do not hold the run, and are answered when it is over.

const productCard = {
  name: 'showProductCard',
  inputSchema: { properties: { name: { type: 'string' }, price: { type: 'number' } } },
  displayTool: true,
  executionType: 'client',
  execution: { mode: 'no-execution' },
  wait: 'none',
  render: {
    as: 'card',
    title: '{{name}} — {{price | money}}',
    actions: [{ id: 'select', label: 'Select' }],
  },
};

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });

    test('cards of an own tool are shown, the run ends, and one is selected', async ({ weft, page, ui }) => {
      await ownTool(weft, productCard);
      const { puppet, agent } = await weft.actor('Planner', takesHttp);
      const stock = await weft.space(agent.id, 'Stock');
      const shop = await weft.space(agent.id, 'Shop');
      await weft.open(page);
      await ui.send('Which laptops are there?');
      const turn = await puppet.turn();
      turn.say('Two fit your budget:');
      const shown = await draws(turn, puppet, 'showProductCard', { name: 'MacBook Pro', price: 1299 }, shop);
      expect(JSON.parse(shown.text)).toMatchObject({ state: 'shown' });
      await draws(turn, puppet, 'showProductCard', { name: 'ThinkPad X1', price: 1149 }, shop);
      await draws(turn, puppet, 'showProductCard', { name: 'Dock', price: 89.5 }, stock);
      turn.say('Which one do you want?');
      turn.end();
      await ui.idle();
      const card = page.getByRole('region', { name: 'Card: ThinkPad X1 — $1,149' });
      await expect(card).not.toContainText('Needs your answer');
      await expect(ui.sidebar).not.toContainText('ThinkPad'); // nobody waits for it
      await ui.picture(`${theme}-own-cards`);
      await accessible(page, 'cards of an own tool', 'all');
      await clickAnswer(card, card.getByRole('button', { name: 'Select' }));
      const next = await puppet.turn();
      expect(next.text).toContain('“ThinkPad X1 — $1,149”');
      expect(next.text).toContain('{"action":"select"}');
      next.say('Ordered.');
      next.end();
      await ui.idle();
      await expect(card).toContainText("Your answer was sent as the agent's next prompt.");
      await page.setViewportSize({ width: 760, height: 900 });
      await ui.picture(`${theme}-own-cards-answered-760`);
      await page.setViewportSize({ width: 1280, height: 800 });
      await ui.spaces.locator('.space-button').filter({ hasText: 'Stock' }).click();
      const dock = page.getByRole('region', { name: 'Card: Dock — $89.50' });
      await expect(dock).toContainText('Asked by Planner in Shop');
      await ui.picture(`${theme}-asked-from`);
      await dock.getByRole('button', { name: 'Asked by Planner in Shop' }).click();
      await expect(page.getByRole('region', { name: 'Card: MacBook Pro — $1,299' })).toBeVisible();
    });
  });
}
