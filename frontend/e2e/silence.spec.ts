import { expect, test } from './support/test';

// An agent that shows nothing any more, after it has written something.

const longer = 20_000;

test('an agent that goes silent after its words is told of, and nothing moves', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet } = await weft.puppet();
  await page.clock.install();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  turn.say('I look at the two helpers first.');
  await expect(ui.text('I look at the two helpers first.')).toBeVisible();
  const log = page.getByRole('log');
  const words = log.getByText('I look at the two helpers first.');
  const silence = log.locator('.silence');
  const before = await words.boundingBox();
  await expect(silence).toHaveCount(0);

  await page.clock.fastForward(longer);
  await expect(silence).toContainText(/Working for .*Last output .* ago\./);
  await expect(silence.getByRole('button', { name: 'Protocol log' })).toBeVisible();
  expect(await words.boundingBox()).toEqual(before);
  await ui.picture('silence-after-words');

  // A call that runs says itself since when. What comes behind it is on the line of the cursor.
  turn.tool({ toolCallId: 'a', title: 'Read a file', kind: 'read', status: 'in_progress' });
  await expect(ui.tool('Read a file')).toBeVisible();
  await expect(silence).toHaveCount(0);
  await page.clock.fastForward(longer);
  await expect(silence).toHaveCount(0);
  turn.change({ toolCallId: 'a', status: 'completed' });
  await expect(ui.tool('Read a file')).toBeVisible();
  const cursor = await log.locator('.cursor').boundingBox();
  await page.clock.fastForward(longer);
  await expect(silence).toBeVisible();
  expect(await log.locator('.cursor').boundingBox()).toEqual(cursor);
  await ui.picture('silence-after-a-call');

  await page.clock.setSystemTime(Date.now());
  turn.say(' Done.');
  await expect(silence).toHaveCount(0);
  await page.clock.fastForward(longer);
  await silence.getByRole('button', { name: 'Stop' }).click();
  await turn.cancelled;
  await ui.idle();
});
