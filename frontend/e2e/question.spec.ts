import { accessible } from './support/axe';
import { deep } from './support/deep';
import type { Turn } from './support/puppet';
import { armed, clickAnswer } from './support/requests';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';

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
  for (const theme of themes) {
    test.describe(`in the ${theme}`, () => {
      test.use({ colorScheme: theme });

      test('is answered by keys alone, and stays readable', async ({ weft, page, ui }) => {
        const { puppet } = await weft.puppet();
        await weft.open(page);
        await ui.send('go');
        const turn = await puppet.turn();
        const answer = asks(turn, { message: 'What do I pick?', requestedSchema });
        const card = question(ui);
        await expect(card).toContainText('What do I pick?');
        await accessible(page, 'a question', 'all');
        await ui.picture(`${theme}-question`);
        await page.keyboard.press('Control+Shift+j');
        await expect(card.getByRole('radio', { name: 'apple' })).toBeFocused();
        // What is missing or wrong is said where it is.
        await armed(card);
        await page.keyboard.press('Enter');
        await expect(card.getByText('This field is required.')).toHaveCount(2);
        await accessible(page, 'a question with mistakes', 'all');
        await ui.picture(`${theme}-question-flaws`);
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Tab');
        await page.keyboard.type('12');
        await expect(card.getByText('Enter 9 or less.')).toBeVisible();
        await page.keyboard.press('Backspace');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Space');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Tab');
        await page.keyboard.type('me@example.org');
        await armed(card);
        await page.keyboard.press('Enter');
        expect(await answer).toEqual({
          action: 'accept',
          content: { fruit: 'pear', count: 1, tools: ['saw'], mail: 'me@example.org', sure: true },
        });
        await expect(card).toBeHidden();
        turn.end();
        await ui.idle();
        await page.reload();
        await ui.tool('What do I pick?').click();
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
    await clickAnswer(question(ui), question(ui).getByRole('button', { name: 'Decline' }));
    expect(await first).toEqual({ action: 'decline' });
    const second = asks(turn, { message: 'Second?', requestedSchema });
    await clickAnswer(question(ui), question(ui).getByRole('button', { name: 'Not now' }));
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
    await clickAnswer(question(ui), question(ui).getByRole('button', { name: 'Open in browser' }));
    expect((await opened).url()).toContain('/api/health?sign=(here)');
    expect(await answer).toEqual({ action: 'accept' });
    void asks(turn, { mode: 'url', elicitationId: 'f', message: 'And this', url: 'javascript:alert(1)' });
    await expect(question(ui)).toContainText("Weft doesn't open it");
    await expect(question(ui).getByRole('button', { name: 'Open in browser' })).toHaveCount(0);
  });

  test('with 500 fields can still be scrolled and answered', deep, async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`q${i}`, { type: 'string', title: `Question ${i}` }]),
    );
    const answer = asks(turn, { message: 'All of it', requestedSchema: { type: 'object', properties } });
    await question(ui).getByRole('textbox', { name: 'Question 499' }).fill('done');
    await clickAnswer(question(ui), question(ui).getByRole('button', { name: 'Answer' }));
    expect(await answer).toEqual({ action: 'accept', content: { q499: 'done' } });
  });

  test(
    'of 500 fields, typing stays quick, and what is wrong is counted and found',
    deep,
    async ({ weft, page, ui }) => {
      const { puppet } = await weft.puppet();
      await weft.open(page);
      await ui.send('go');
      const turn = await puppet.turn();
      const properties = Object.fromEntries(
        Array.from({ length: 500 }, (_, i) => [
          `q${i}`,
          { type: i === 420 ? 'integer' : 'string', title: `Question ${i}` },
        ]),
      );
      const answer = asks(turn, {
        message: 'All of it',
        requestedSchema: { type: 'object', properties, required: ['q420'] },
      });
      const card = question(ui);
      await expect(card).toContainText('0 of 500 completed.');
      const field = card.getByRole('textbox', { name: 'Question 250' });
      await field.click();
      // A key changes its own field only, and what counts them.
      await page.evaluate(() => {
        const changed = new Set<Node>();
        Object.assign(window, { changed });
        new MutationObserver((list) => {
          for (const { target } of list) changed.add(target);
        }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
      });
      await page.keyboard.type('x'.repeat(30));
      const changed = await page.evaluate(() => (window as unknown as { changed: Set<Node> }).changed.size);
      expect(changed).toBeLessThan(50);
      await expect(card).toContainText('1 of 500 completed.');
      await clickAnswer(card, card.getByRole('button', { name: 'Answer' }));
      await expect(card).toContainText('1 field needs attention.');
      await expect(card.getByRole('textbox', { name: /Question 420/ })).toBeFocused();
      await accessible(page, 'a form of 500 fields', 'colours');
      await ui.picture('light-question-many');
      await page.keyboard.type('7');
      await armed(card);
      await page.keyboard.press('Enter');
      expect(await answer).toEqual({ action: 'accept', content: { q250: 'x'.repeat(30), q420: 7 } });
    },
  );

  test('a schema that is none takes JSON; a hostile pattern freezes nothing', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const odd = asks(turn, { message: 'Anything', requestedSchema: { type: 'string', title: 'no form' } });
    const raw = question(ui).getByRole('textbox', { name: /Answer as JSON/ });
    await expect(question(ui)).toContainText("didn't say which fields");
    await raw.fill('[1]');
    await clickAnswer(question(ui), question(ui).getByRole('button', { name: 'Answer' }));
    await expect(question(ui)).toContainText('Enter a JSON object.');
    await accessible(page, 'a question without a form', 'all');
    await raw.fill('{"a": [1, true]}');
    await clickAnswer(question(ui), question(ui).getByRole('button', { name: 'Answer' }));
    expect(await odd).toEqual({ action: 'accept', content: { a: [1, true] } });

    const slow = asks(turn, {
      message: 'A trap',
      requestedSchema: {
        type: 'object',
        properties: { word: { type: 'string', title: 'Word', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } },
      },
    });
    const word = question(ui).getByRole('textbox', { name: 'Word' });
    await word.fill('a'.repeat(60));
    await armed(question(ui));
    await word.press('Enter');
    await expect(question(ui)).toContainText('Invalid format');
    await expect(word).toBeFocused();
    await word.fill('aaBcc');
    await expect(question(ui)).not.toContainText('Invalid format');
    await armed(question(ui));
    await word.press('Enter');
    expect(await slow).toEqual({ action: 'accept', content: { word: 'aaBcc' } });
    turn.end();
  });

  test('questions that come as a permission request get the same form', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const questions = [
      {
        question: 'Which colour do you prefer?',
        header: 'Colour',
        options: [
          { label: 'Red', description: 'Warm' },
          { label: 'Blue', description: 'Cold' },
        ],
      },
      {
        question: 'Which sizes?',
        header: 'Sizes',
        multiSelect: true,
        options: [{ label: 'S' }, { label: 'L' }],
      },
    ];
    const ask = () =>
      turn.request('session/request_permission', {
        toolCall: {
          toolCallId: 'q',
          title: 'Ask user 2 questions',
          status: 'pending',
          kind: 'think',
          rawInput: { questions },
        },
        options: [
          { optionId: 'proceed_once', name: 'Submit', kind: 'allow_once' },
          { optionId: 'cancel', name: 'Cancel', kind: 'reject_once' },
        ],
        _meta: { qwenInteractionKind: 'user_question', qwenQuestions: questions },
      });
    const answer = ask();
    await expect(question(ui)).toContainText('Ask user 2 questions');
    await page.keyboard.press('Control+Shift+j');
    await expect(question(ui).getByRole('radio', { name: /Red/ })).toBeFocused();
    await ui.picture('light-question-qwen');
    await question(ui).getByRole('radio', { name: /Blue/ }).check();
    await question(ui).getByRole('checkbox', { name: 'L' }).check();
    await question(ui).getByRole('textbox', { name: 'Something else' }).last().fill('XL');
    await clickAnswer(question(ui), question(ui).getByRole('button', { name: 'Answer' }));
    expect(await answer).toEqual({
      outcome: { outcome: 'selected', optionId: 'proceed_once' },
      answers: { '0': 'Blue', '1': 'L, XL' },
    });
    const declined = ask();
    await clickAnswer(question(ui), question(ui).getByRole('button', { name: 'Decline' }));
    expect(await declined).toEqual({ outcome: { outcome: 'selected', optionId: 'cancel' } });
    turn.end();
  });

  test('is asked while a session is being opened, where the user waits for it', async ({
    weft,
    page,
    ui,
  }) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string', title: 'Project' } } };
    const { puppet } = await weft.puppet('Robin', {
      asksFirst: { mode: 'form', message: 'Which project?', requestedSchema },
    });
    await weft.open(page);
    await expect(question(ui)).toContainText('Which project?');
    await ui.waiting(1);
    await ui.picture('light-question-opening');
    await question(ui).getByRole('textbox', { name: 'Project' }).fill('weft');
    await clickAnswer(question(ui), question(ui).getByRole('button', { name: 'Answer' }));
    await expect(question(ui)).toHaveCount(0);
    expect(await puppet.asked).toEqual({ action: 'accept', content: { name: 'weft' } });
    await ui.send('go');
    (await puppet.turn()).end();
    await ui.idle();
  });
});
