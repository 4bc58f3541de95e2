import { accessible } from './support/axe';
import type { Turn } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';

const requestedSchema = {
  type: 'object',
  required: ['fruit', 'count'],
  properties: {
    fruit: { type: 'string', title: 'Which fruit', enum: ['apple', 'pear', 'quince'] },
    count: { type: 'integer', title: 'How many', minimum: 1, maximum: 9, description: 'In baskets' },
    tools: { type: 'array', title: 'Tools', items: { enum: ['saw', 'ladder'] } },
    mail: { type: 'string', title: 'Your mail', format: 'email' },
    sure: { type: 'boolean', title: 'Tell the neighbours', default: true },
  },
};

const asks = (turn: Turn, params: object) => turn.request('elicitation/create', { mode: 'form', ...params });
const question = (ui: Screen) => ui.transcript.getByRole('region', { name: /^Question: / });

test.describe('a question of the agent', () => {
  for (const theme of ['light', 'dark'] as const) {
    test.describe(`in the ${theme}`, () => {
      test.use({ colorScheme: theme });

      test('is answered by keys alone, and stays readable', async ({ weft, page, ui }) => {
        const { puppet } = await weft.puppet();
        await weft.open(page);
        await ui.send('go');
        const turn = await puppet.turn();
        const answer = asks(turn, { message: 'What shall I pick?', requestedSchema });
        const card = question(ui);
        await expect(card).toContainText('What shall I pick?');
        await accessible(page, 'a question', 'all');
        await ui.picture(`${theme}-question`);
        await page.keyboard.press('Control+j');
        await expect(card.getByRole('radio', { name: 'apple' })).toBeFocused();
        // What is missing or wrong is said where it is.
        await page.keyboard.press('Enter');
        await expect(card.getByText('This has to be answered.')).toHaveCount(2);
        await accessible(page, 'a question with mistakes', 'all');
        await ui.picture(`${theme}-question-flaws`);
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Tab');
        await page.keyboard.type('12');
        await expect(card.getByText('At most 9.')).toBeVisible();
        await page.keyboard.press('Backspace');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Space');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Tab');
        await page.keyboard.type('me@example.org');
        await page.keyboard.press('Enter');
        expect(await answer).toEqual({
          action: 'accept',
          content: { fruit: 'pear', count: 1, tools: ['saw'], mail: 'me@example.org', sure: true },
        });
        await expect(card).toBeHidden();
        turn.end();
        await ui.idle();
        await page.reload();
        await ui.tool('What shall I pick?').click();
        await expect(ui.transcript.locator('.detail')).toContainText('Which fruit');
        await expect(ui.transcript.locator('.detail')).toContainText('me@example.org');
      });
    });
  }

  test('keeps what was filled in over a reload; can be declined, and left for now', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const first = asks(turn, { message: 'First?', requestedSchema });
    await question(ui)
      .getByRole('textbox', { name: /Your mail/ })
      .fill('half@');
    await page.reload();
    await expect(question(ui).getByRole('textbox', { name: /Your mail/ })).toHaveValue('half@');
    await question(ui).getByRole('button', { name: 'Decline' }).click();
    expect(await first).toEqual({ action: 'decline' });
    const second = asks(turn, { message: 'Second?', requestedSchema });
    await question(ui).getByRole('button', { name: 'Not now' }).click();
    expect(await second).toEqual({ action: 'cancel' });
    const third = asks(turn, { message: 'Third?', requestedSchema });
    await expect(question(ui)).toContainText('Third?');
    await ui.stop.click();
    expect(await third).toEqual({ action: 'cancel' });
  });

  test('an address is shown whole, and opened only then', async ({ weft, page, ui, context }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const url = `${weft.url}/api/health?sign=(here)`;
    const answer = asks(turn, { mode: 'url', elicitationId: 'e', message: 'Please sign', url });
    await expect(question(ui)).toContainText(url);
    const opened = context.waitForEvent('page');
    await question(ui).getByRole('button', { name: 'Open in the browser' }).click();
    expect((await opened).url()).toContain('/api/health?sign=(here)');
    expect(await answer).toEqual({ action: 'accept' });
    void asks(turn, { mode: 'url', elicitationId: 'f', message: 'And this', url: 'javascript:alert(1)' });
    await expect(question(ui)).toContainText('is not opened');
    await expect(question(ui).getByRole('button', { name: 'Open in the browser' })).toHaveCount(0);
  });

  test('with 500 fields can still be scrolled and answered', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`q${i}`, { type: 'string', title: `Question ${i}` }]),
    );
    const answer = asks(turn, { message: 'All of it', requestedSchema: { type: 'object', properties } });
    await question(ui).getByRole('textbox', { name: 'Question 499' }).fill('done');
    await question(ui).getByRole('button', { name: 'Answer' }).click();
    expect(await answer).toEqual({ action: 'accept', content: { q499: 'done' } });
  });
});
