import { join } from 'node:path';
import { accessible } from './support/axe';
import { diff, type Option, yesOrNo } from './support/puppet';
import { allow, answerByKey, armed, reject } from './support/requests';
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
  test('keeps its answers in place, and tells a user who clicks too early', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    // How far the answers are below what the card shows, in each frame.
    await page.evaluate(() => {
      const gaps = new Set<number>();
      (globalThis as unknown as { gaps: Set<number> }).gaps = gaps;
      const look = () => {
        const shown = document.querySelector('.permission-what');
        const row = document.querySelector('[data-answers]');
        if (shown !== null && row !== null)
          gaps.add(Math.round(row.getBoundingClientRect().top - shown.getBoundingClientRect().bottom));
        requestAnimationFrame(look);
      };
      look();
      new MutationObserver((_, observer) => {
        const button = document.querySelector<HTMLElement>('.answer-allow');
        if (button === null) return;
        observer.disconnect();
        button.click();
      }).observe(document.body, { subtree: true, childList: true });
    });
    const answer = turn.ask({
      toolCallId: 'edit',
      title: 'Edit',
      kind: 'edit',
      content: [diff(join(weft.project, 'src/apples.js'), 'a\nb\n', 'a\nB\n')],
    });
    await expect(ui.permissions).toContainText('This has just appeared or moved. Press again.');
    await armed(ui.permissions);
    const gaps = await page.evaluate(() => [...(globalThis as unknown as { gaps: Set<number> }).gaps]);
    expect(Math.max(...gaps) - Math.min(...gaps), gaps.join(' ')).toBeLessThanOrEqual(1);
    await ui.permissions.getByRole('button', { name: /^Allow/ }).click();
    expect(await answer).toBe(yesOrNo[0]?.optionId);
    turn.end();
  });

  test('is answered with the mouse', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('I need to build.');
    const answer = turn.ask(call('all', 'Build everything'), options);
    const request = ui.permissions;
    await expect(request).toHaveAccessibleName('Permission required: make all');
    await expect(request).toContainText('Robin says: Build everything');
    await expect(request.getByRole('button')).toHaveText([
      'Allow1',
      'More ways to allow',
      'Reject3',
      'More ways to reject',
    ]);
    // What the agent calls it is second to what would run.
    await expect(ui.tool('Run a command')).toContainText('Needs your answer');
    await expect(ui.tool('Build everything')).toHaveCount(0);
    await allow(request, 'Always allow');
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

  test('is answered by keys once the user has gone to it', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('May I?');
    const first = turn.ask(call('all', 'Build everything'), options);
    await answerByKey(page, ui.permissions, '3');
    expect(await first).toBe('no');
    await expect(ui.permissions).toBeHidden(); // or the next key would be its
    // The menus by their keys, with the agent's options and Weft's own told apart.
    const second = turn.ask(call('again', 'Build again'), options);
    await answerByKey(page, ui.permissions, 'Shift+A');
    const menu = page.getByRole('menu');
    await expect(menu.getByRole('group', { name: 'Robin', exact: true }).getByRole('menuitem')).toHaveText([
      'Allow once1',
      'Always allow2',
    ]);
    await expect(menu.getByRole('group', { name: 'Weft' }).getByRole('menuitem')).toHaveText([
      'Always allow…',
    ]);
    await accessible(page, 'the menu of Allow', 'all');
    await armed(menu);
    await page.keyboard.press('2');
    expect(await second).toBe('always');
    // A and R mean here what they mean everywhere.
    await expect(ui.permissions).toBeHidden();
    const third = turn.ask(call('third', 'Build a third time'), options);
    await answerByKey(page, ui.permissions, 'a');
    expect(await third).toBe('once');
    await expect(ui.permissions).toBeHidden();
    const last = turn.ask(call('last', 'Build a last time'), options);
    await answerByKey(page, ui.permissions, 'r');
    expect(await last).toBe('no');
    turn.end();
  });

  test('leaves the focus where the user types, and digits in the text', async ({ weft, page, ui }) => {
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
    await answerByKey(page, ui.permissions, '2');
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
    const card = (line: string) =>
      page.getByRole('region', { name: `Permission required: ${line}`, exact: true });
    await expect(ui.permissions).toHaveCount(3);
    await reject(card('make b'));
    expect(await second).toBe('no');
    await expect(ui.permissions).toHaveCount(2);
    // A number goes to the one that has the focus.
    await card('make c').getByRole('button', { name: 'Allow', exact: true }).focus();
    await armed(card('make c'));
    await page.keyboard.press('2');
    expect(await third).toBe('no');
    await expect(ui.permissions).toHaveCount(1);
    await answerByKey(page, ui.permissions, '1');
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
    await expect(page.getByRole('heading', { name: 'What should Guide do?' })).toBeVisible();
    const answer = turn.ask(call('a', 'Build A'), options);
    await expect(ui.spaces.getByRole('listitem').filter({ hasText: 'Builds' })).toContainText(
      'Needs your answer',
    );
    // Through the inbox, which leads to it.
    await page.keyboard.press('Control+j');
    await expect(
      page.getByRole('main').getByRole('region', { name: /^Permission required: / }),
    ).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(ui.permissions).toBeVisible();
    await expect(ui.permissions).toBeFocused();
    await allow(ui.permissions);
    expect(await answer).toBe('once');
    turn.end();
  });

  test('is answered "cancelled" when the user stops', async ({ weft, page, ui }) => {
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
