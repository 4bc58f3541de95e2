import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { diff, type Option, said } from './support/puppet';
import { answerByKey, armed, clickAnswer, openMenu, reject } from './support/requests';
import { expect, test } from './support/test';

// What no agent should send, and some do.

test(
  'a thousand requests at once: the oldest are here, one by one or all',
  deep,
  async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const answers = Array.from({ length: 1000 }, (_, i) =>
      turn.ask({ toolCallId: `t${i}`, title: `Write ${i}`, kind: 'edit', status: 'pending' }),
    );
    await expect(ui.transcript).toContainText('requests need your answer');
    await expect(ui.permissions.first()).toContainText('Permission required');
    await expect(ui.transcript.locator('.group-many')).toContainText('1,000 requests need your answer.');
    expect(await ui.permissions.count()).toBeLessThan(20);
    await accessible(page, 'a thousand requests', 'colours');
    await ui.picture('light-thousand-requests');
    // The window answers at once, by key and by mouse.
    await page.keyboard.press('Control+Shift+j');
    await expect(ui.permissions.first()).toBeFocused();
    await armed(ui.permissions.first());
    const from = Date.now();
    await page.keyboard.press('1');
    expect(await answers[0]).toBe('yes');
    expect(Date.now() - from).toBeLessThan(2000);
    await expect(ui.transcript.locator('.group-many')).toContainText('999 requests need your answer.');
    await reject(ui.permissions.first());
    expect(await answers[1]).toBe('no');
    const many = ui.transcript.locator('.group-many');
    await clickAnswer(many, many.getByRole('button', { name: 'Reject all' }));
    expect(new Set(await Promise.all(answers.slice(1)))).toEqual(new Set(['no']));
    await expect(ui.permissions).toHaveCount(0);
    turn.end();
    await ui.idle();
  },
);

test('options with one id, of one kind, or none at all', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  const same: Option[] = [
    { optionId: 'x', name: 'Yes', kind: 'allow_once' },
    { optionId: 'x', name: 'No', kind: 'reject_once' },
    { optionId: 'y', name: 'Also no', kind: 'reject_once' },
  ];
  const first = turn.ask({ toolCallId: '1', title: 'First' }, same);
  await reject(ui.permissions, 'No');
  // Its id means yes as well.
  expect(await first).toBe('cancelled');
  await expect(ui.transcript.locator('.tool[data-status=rejected]')).toHaveCount(1);
  const second = turn.ask({ toolCallId: '2', title: 'Second' }, same);
  await reject(ui.permissions, 'Also no');
  expect(await second).toBe('y');
  const many: Option[] = Array.from({ length: 200 }, (_, i) => ({
    optionId: `o${i}`,
    name: `Option ${i} \u202e\n${'long '.repeat(50)}`,
    kind: 'allow_once',
  }));
  const third = turn.ask({ toolCallId: '3', title: 'Many' }, many);
  const menu = await openMenu(ui.permissions, 'Allow');
  await expect(menu.getByRole('menuitem', { name: /^Option/ })).toHaveCount(64);
  await expect(menu).toContainText('\\u{202e}');
  await clickAnswer(menu, menu.getByRole('menuitem', { name: /^Option 63 / }));
  expect(await third).toBe('o63');
  const fourth = turn.ask({ toolCallId: '4', title: 'No way out' }, []);
  await clickAnswer(ui.permissions, ui.permissions.getByRole('button', { name: 'Stop' }));
  expect(await fourth).toBe('cancelled');
});

test('names with line breaks and bidi controls are shown for what they are', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  const path = `${weft.project}/safe\u202egnp.exe\nrm -rf`;
  const answer = turn.ask({
    toolCallId: 'never-announced',
    title: 'Open \u202etxt.\u2066exe\r\nnow',
    kind: 'who_knows',
    locations: [{ path }],
  });
  await expect(ui.permissions).toContainText('safe\\u{202e}gnp.exe↵rm -rf');
  await expect(ui.permissions).toContainText('Open \\u{202e}txt.\\u{2066}exe now');
  await answerByKey(page, ui.permissions, '2');
  expect(await answer).toBe('no');
  turn.end();
});

test('a diff that does not apply is shown as it was sent', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  await writeFile(join(weft.project, 'real.js'), 'what is really there\n');
  for (const [i, path] of ['real.js', 'missing/none.js', '../outside.js', '/dev/null', ''].entries()) {
    turn.did({
      toolCallId: `${i}`,
      title: `Edit ${i}`,
      kind: 'edit',
      content: [diff(path, 'never was there\n', 'nor will be\n'), said('done')],
    });
  }
  turn.say('Edited.');
  turn.end();
  await ui.idle();
  await ui.group(/./).click();
  await ui.tool('Edit 0').click();
  await expect(ui.transcript.locator('.diff').first()).toContainText('never was there');
  await ui.tool('Edit 3').click();
  await expect(ui.transcript.locator('.diff').last()).toContainText('nor will be');
});

test('an agent that changes modes in a loop: the last one holds, and the window stays quiet', async ({
  weft,
  page,
  ui,
}) => {
  const modes = {
    currentModeId: 'm0',
    availableModes: Array.from({ length: 5 }, (_, i) => ({ id: `m${i}`, name: `Mode ${i}` })),
  };
  const { puppet, space } = await weft.puppet('Robin', { modes });
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  const before = (await weft.call('OpenSpace', { spaceId: space.id })).seq;
  turn.updates(
    Array.from({ length: 20_001 }, (_, i) => ({
      sessionUpdate: 'current_mode_update',
      currentModeId: `m${(i + 3) % 5}`,
    })),
  );
  turn.say('Settled.');
  await expect(ui.text('Settled.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Permissions: .*Mode 3/ })).toBeVisible();
  const after = (await weft.call('OpenSpace', { spaceId: space.id })).seq;
  expect(after - before).toBeLessThan(1000);
  await ui.composer.fill('still here');
  await expect(ui.composer).toHaveValue('still here');
  turn.end();
});
