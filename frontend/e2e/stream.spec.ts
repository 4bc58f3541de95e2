import { diff, said } from './support/puppet';
import { expect, test } from './support/test';

test.use({ reducedMotion: 'no-preference' });

test.describe('a conversation that is not lost', () => {
  test('a reload in the middle of a turn loses nothing, doubles nothing, and goes on', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('count');
    const turn = await puppet.turn();
    const words = (from: number, to: number) => {
      for (let i = from; i < to; i++) turn.say(`w${i} `);
    };
    words(0, 100);
    turn.tool({ toolCallId: 'a', title: 'Read a file', kind: 'read', status: 'in_progress' });
    turn.tool({ toolCallId: 'b', title: 'Read b file', kind: 'read', status: 'in_progress' });
    await expect(ui.tool('Read b file')).toBeVisible();
    await page.reload({ waitUntil: 'commit' });
    // Continues while there is no page to see it.
    turn.change({ toolCallId: 'a', status: 'completed' });
    turn.change({ toolCallId: 'b', status: 'completed' });
    words(100, 200);
    await expect(ui.text('w199')).toBeVisible();
    await expect(ui.stop).toBeVisible();
    words(200, 250);
    await page.reload();
    await expect(ui.text('w249')).toBeVisible();
    words(250, 300);
    turn.end();
    await ui.idle();
    // Short enough for all of it to be drawn.
    const lines = await ui.lines();
    const all = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => `w${from + i}`).join(' ');
    expect(lines).toEqual([
      'you: count',
      'agent: Robin',
      `text: ${all(0, 100)}`,
      'group: Read 2 files (completed)',
      `text: ${all(100, 300)}`,
    ]);
  });

  test('two windows of one space show the same', async ({ weft, page, ui, context }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    const other = await context.newPage();
    await weft.open(other);
    await ui.send('hello');
    const turn = await puppet.turn();
    turn.say('Both of you see this');
    await expect(ui.text('Both of you see this')).toBeVisible();
    await expect(other.getByRole('log')).toContainText('Both of you see this');
    turn.end();
    await ui.idle();
    await expect(other.getByRole('log').locator('.prompt')).toHaveCount(1);
  });

  test('the agent goes on while another space is looked at', async ({ weft, page, ui }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('UpdateSpace', { spaceId: space.id, title: 'Long work' });
    await weft.space('guide', 'Elsewhere');
    await weft.open(page);
    const row = ui.spaces.getByRole('listitem').filter({ hasText: 'Long work' });
    await row.getByRole('button').first().click();
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('Before. ');
    await expect(ui.text('Before.')).toBeVisible();
    await expect(row).toContainText('Working');
    await ui.spaces
      .getByRole('button', { name: /Elsewhere/ })
      .first()
      .click();
    await expect(page.getByRole('heading', { name: 'What should Guide do?' })).toBeVisible();
    turn.say('Meanwhile. ');
    turn.say('After.');
    turn.end();
    await expect(row).not.toContainText('Working');
    await row.getByRole('button').first().click();
    await expect(ui.text('Before. Meanwhile. After.')).toBeVisible();
  });

  test('says that Weft does not answer, and keeps what is on the screen', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('hello');
    const turn = await puppet.turn();
    turn.say('Still here');
    turn.end();
    await ui.idle();
    await weft.stop();
    await expect(page.getByRole('status').filter({ hasText: "Weft isn't responding" })).toBeVisible();
    await expect(ui.text('Still here')).toBeVisible();
    await ui.composer.fill('kept for later');
    await ui.composer.press('Enter');
    await expect(ui.composer).toHaveValue('kept for later');
  });
});

test.describe('the history', () => {
  test('is the same after a restart', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('do all kinds of things');
    const turn = await puppet.turn();
    turn.think('What would be good?');
    turn.say('## A heading\n\nSome *text* with `code`.\n\n```js\nconst a = 1;\n```\n');
    turn.did({ toolCallId: '1', title: 'Read main.js', kind: 'read', content: [said('one\ntwo')] });
    turn.did({ toolCallId: '2', title: 'Search apples', kind: 'search', content: [said('2 matches')] });
    turn.think('Better edit it.');
    turn.did({
      toolCallId: '3',
      title: 'Edit main.js',
      kind: 'edit',
      content: [diff('src/main.js', 'a\n', 'b\n')],
    });
    turn.say('Then this:');
    turn.did({
      toolCallId: '4',
      title: 'Run the tests',
      kind: 'execute',
      status: 'failed',
      content: [said('exit 1')],
    });
    turn.say('| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n- [ ] not yet\n');
    turn.plan([
      { content: 'First', status: 'completed' },
      { content: 'Second', status: 'in_progress' },
    ]);
    turn.end('max_tokens');
    await ui.idle();
    await ui.send('and again');
    const second = await puppet.turn();
    second.say('Again.');
    second.end();
    await ui.idle();
    const before = await ui.lines();
    expect(before).toContain("note: The answer reached the model's length limit. Ask the agent to continue.");
    const planned = await ui.plan.textContent();

    await weft.stop();
    await weft.start();
    await weft.open(page);
    await expect(ui.text('Again.')).toBeVisible();
    expect(await ui.lines()).toEqual(before);
    expect(await ui.plan.textContent()).toBe(planned);
    await ui.group(/./).click();
    await ui.tool('Edit main.js').click();
    await expect(ui.transcript.locator('.detail')).toContainText('src/main.js');
  });

  test('keeps what was shown when Weft is killed in the middle of a turn', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    for (let i = 0; i < 50; i++) turn.say(`w${i} `);
    turn.tool({ toolCallId: 'a', title: 'Read a file', kind: 'read', status: 'in_progress' });
    turn.say('the last word');
    await expect(ui.text('the last word')).toBeVisible();
    const shown = await ui.lines();
    await weft.stop('SIGKILL');
    await weft.start();
    await weft.open(page);
    await expect(ui.text('the last word')).toBeVisible();
    const after = await ui.lines();
    expect(after.slice(0, 3)).toEqual(shown.slice(0, 3));
    expect(after).toContain('text: the last word');
    await expect(ui.tool('Read a file')).not.toContainText('Running');
    await expect(ui.transcript).toContainText('Weft was closed while the agent was working.');
    await expect(ui.stop).toBeHidden();
    // And the talk continues.
    await ui.send('continue');
    const next = await puppet.turn();
    next.say('Going on');
    next.end();
    await ui.idle();
    await expect(ui.text('Going on')).toBeVisible();
  });
});
