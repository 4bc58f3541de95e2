import { said } from './support/puppet';
import { expect, test } from './support/test';

test.describe('stopping', () => {
  test('with Esc: open calls are marked, and what still arrives is kept', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin', { cancels: false });
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('Looking.');
    turn.tool({ toolCallId: 'a', title: 'Read everything', kind: 'read', status: 'in_progress' });
    await expect(ui.tool('Read everything')).toContainText('Running');
    // A first one asks, and any other key is a no.
    const again = page.getByText('Press Esc again to stop');
    await ui.composer.press('Escape');
    await expect(again).toBeVisible();
    await ui.composer.press('a');
    await expect(again).toHaveCount(0);
    await ui.composer.press('Escape');
    await expect(again).toBeVisible();
    await expect(page.getByRole('button', { name: 'Stop (Esc)' })).toBeEnabled();
    await ui.composer.press('Escape');
    await turn.cancelled;
    await expect(page.getByRole('button', { name: 'Stopping' })).toBeDisabled();
    turn.say('One more word.');
    turn.end('cancelled');
    await ui.idle();
    expect(await ui.lines()).toEqual([
      'you: go',
      'agent: Robin',
      'text: Looking.',
      '  tool: Read everything (cancelled)',
      'text: One more word.',
      'note: Stopped.',
    ]);
    // The call's end comes late, and wins.
    turn.change({ toolCallId: 'a', status: 'completed', content: [said('all of it')] });
    await expect(ui.tool('Read everything')).toContainText('Done');
  });

  test('with the button', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('Working on it');
    await expect(ui.text('Working on it')).toBeVisible();
    await ui.stop.click();
    await turn.cancelled;
    await ui.idle();
    await expect(ui.transcript).toContainText('Stopped.');
    await expect(ui.stop).toBeHidden();
  });
});

test.describe('the queue', () => {
  test('holds prompts while a turn runs, lets them be changed, and sends them after it', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('one');
    const first = await puppet.turn();
    expect(first.text).toBe('one');
    await ui.send('two');
    await ui.send('three');
    await ui.send('four');
    const items = ui.queue.getByRole('listitem');
    await expect(items).toHaveText(['two', 'three', 'four']);
    await items.nth(1).getByRole('button', { name: 'Remove prompt' }).click();
    await expect(items).toHaveText(['two', 'four']);
    await items.nth(1).getByRole('button', { name: 'Edit prompt' }).click();
    await ui.queue.getByRole('textbox', { name: 'Edit prompt' }).fill('four, and a half');
    await page.keyboard.press('Enter');
    await expect(items).toHaveText(['two', 'four, and a half']);
    // A queue is not lost with the page.
    await page.reload();
    await expect(items).toHaveText(['two', 'four, and a half']);

    first.say('done with one');
    first.end();
    const second = await puppet.turn();
    expect(second.text).toBe('two');
    await expect(items).toHaveText(['four, and a half']);
    second.end();
    const third = await puppet.turn();
    expect(third.text).toBe('four, and a half');
    await expect(ui.queue).toBeHidden();
    third.say('all done');
    third.end();
    await ui.idle();
    expect((await ui.lines()).filter((line) => line.startsWith('you'))).toEqual([
      'you: one',
      'you: two',
      'you: four, and a half',
    ]);
  });

  test('waits where the user stopped, and goes on when told', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('one');
    const first = await puppet.turn();
    first.say('hm');
    await ui.send('two');
    await expect(ui.queue.getByRole('listitem')).toHaveText(['two']);
    await ui.stop.click();
    await first.cancelled;
    await ui.queue.getByRole('button', { name: 'Send now' }).click();
    expect((await puppet.turn()).text).toBe('two');
    await expect(ui.queue).toBeHidden();
  });
});

test.describe('the composer', () => {
  test('brings the last prompts back, and keeps a draft per space', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.space('guide', 'Other');
    await weft.open(page);
    await ui.spaces
      .getByRole('button', { name: /^New space/ })
      .first()
      .click();
    for (const text of ['first', 'second']) {
      await ui.send(text);
      (await puppet.turn()).end();
      await ui.idle();
    }
    await ui.composer.press('ArrowUp');
    await expect(ui.composer).toHaveValue('second');
    await ui.composer.press('ArrowUp');
    await expect(ui.composer).toHaveValue('first');
    await ui.composer.press('ArrowDown');
    await expect(ui.composer).toHaveValue('second');
    await ui.composer.fill('a line');
    await ui.composer.press('Shift+Enter');
    await page.keyboard.type('and another');
    await expect(ui.composer).toHaveValue('a line\nand another');
    await ui.spaces.getByRole('button', { name: /Other/ }).first().click();
    await expect(ui.composer).toHaveValue('');
    await ui.spaces
      .getByRole('button', { name: /first|Robin/ })
      .first()
      .click();
    await expect(ui.composer).toHaveValue('a line\nand another');
    await page.reload();
    await expect(ui.composer).toHaveValue('a line\nand another');
  });
});

test('a plan shows its progress, and its steps when it is opened', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  const steps = ['Look', 'Read', 'Write', 'Check'];
  turn.plan(steps.map((content, at) => ({ content, status: at === 0 ? 'in_progress' : 'pending' })));
  await expect(ui.plan).toContainText('of 4');
  turn.plan(steps.map((content) => ({ content, status: 'completed' })));
  turn.end();
  await ui.idle();
  await expect(ui.plan).toContainText('4 of 4');
  await ui.plan.getByRole('button').click();
  await expect(ui.plan.getByRole('listitem')).toHaveCount(4);
  await expect(ui.plan.getByRole('img', { name: 'Done' })).toHaveCount(4);
});
