import { type Option, yesOrNo } from './support/puppet';
import { expect, test } from './support/test';

const options: Option[] = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
const call = (id: string, title: string) => ({
  toolCallId: id,
  title,
  kind: 'execute',
  rawInput: { command: `make ${id}` },
});

test.describe('a permission request', () => {
  test('is answered with the mouse', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('I need to build.');
    const answer = turn.ask(call('all', 'Build everything'), options);
    const request = ui.permissions;
    await expect(request).toHaveAccessibleName('Permission for Build everything');
    await expect(request).toContainText('make all');
    await expect(request.getByRole('button')).toHaveText([
      '1Allow once',
      '2Always allow',
      '3Reject',
      'Allow always…A',
      'Refuse always…R',
    ]);
    await expect(ui.tool('Build everything')).toContainText('Waits for you');
    await request.getByRole('button', { name: 'Always allow' }).click();
    expect(await answer).toBe('always');
    await expect(request).toBeHidden();
    turn.change({ toolCallId: 'all', status: 'completed' });
    turn.end();
    await ui.idle();
    expect(await ui.lines()).toEqual([
      'you: go',
      'agent: Robin',
      'text: I need to build.',
      '  tool: Build everything (completed)',
    ]);
  });

  test('takes the focus from a composer in which nothing is written', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('May I?');
    const answer = turn.ask(call('all', 'Build everything'), options);
    await expect(ui.permissions.getByRole('button', { name: 'Allow once' })).toBeFocused();
    await page.keyboard.press('3');
    expect(await answer).toBe('no');
    turn.end();
  });

  test('leaves the focus where the person types, and digits in the text', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    await ui.composer.pressSequentially('and then');
    const answer = turn.ask(call('all', 'Build everything'), options);
    await expect(ui.permissions).toBeVisible();
    await expect(ui.composer).toBeFocused();
    await page.keyboard.type(' 12');
    await expect(ui.composer).toHaveValue('and then 12');
    await expect(ui.permissions).toBeVisible();
    await page.keyboard.press('Control+j');
    await page.keyboard.press('2');
    expect(await answer).toBe('always');
    turn.end();
  });

  test('stands beside others, and each gets its own answer', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const first = turn.ask(call('a', 'Build A'), options);
    const second = turn.ask(call('b', 'Build B'), options);
    const third = turn.ask(call('c', 'Build C'), yesOrNo);
    await expect(ui.permissions).toHaveCount(3);
    await page
      .getByRole('region', { name: 'Permission for Build B' })
      .getByRole('button', { name: 'Reject' })
      .click();
    expect(await second).toBe('no');
    await expect(ui.permissions).toHaveCount(2);
    // A number goes to the one that has the focus, else to the first.
    await page
      .getByRole('region', { name: 'Permission for Build C' })
      .getByRole('button', { name: 'Allow once' })
      .focus();
    await page.keyboard.press('2');
    expect(await third).toBe('no');
    await expect(ui.permissions).toHaveCount(1);
    await page.keyboard.press('Control+j');
    await page.keyboard.press('1');
    expect(await first).toBe('once');
    await expect(ui.permissions).toHaveCount(0);
    turn.end();
    await ui.idle();
  });

  test('is found from another space', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('UpdateSpace', { spaceId: space.id, title: 'Builds' });
    await weft.space('guide', 'Elsewhere');
    await weft.open(page);
    await ui.spaces
      .getByRole('button', { name: /Builds/ })
      .first()
      .click();
    await ui.send('go');
    const turn = await puppet.turn();
    await ui.spaces
      .getByRole('button', { name: /Elsewhere/ })
      .first()
      .click();
    await expect(page.getByRole('heading', { name: 'What shall Guide do?' })).toBeVisible();
    const answer = turn.ask(call('a', 'Build A'), options);
    await expect(ui.spaces.getByRole('listitem').filter({ hasText: 'Builds' })).toContainText(
      'Waits for you',
    );
    await page.keyboard.press('Control+j');
    await expect(ui.permissions).toBeVisible();
    await ui.permissions.getByRole('button', { name: 'Allow once' }).click();
    expect(await answer).toBe('once');
    turn.end();
  });

  test('is answered "cancelled" when the person stops', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet('Robin', { cancels: false });
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const answer = turn.ask(call('a', 'Build A'), options);
    await expect(ui.permissions).toBeVisible();
    await ui.stop.click();
    expect(await answer).toBe('cancelled');
    await turn.cancelled;
    turn.end('cancelled');
    await ui.idle();
    await expect(ui.permissions).toHaveCount(0);
    await expect(ui.transcript).toContainText('Stopped.');
  });
});
