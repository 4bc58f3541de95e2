import { diff, said } from './support/puppet';
import { expect, test } from './support/test';

test.describe('tool groups', () => {
  test('show the last five calls while they grow, and the earlier ones on demand', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const rows = ui.transcript.locator('.tool-title');
    for (let i = 1; i <= 4; i++) turn.did({ toolCallId: `${i}`, title: `Read ${i}`, kind: 'read' });
    await expect(rows).toHaveText(['Read 1', 'Read 2', 'Read 3', 'Read 4']);
    for (let i = 5; i <= 12; i++) turn.did({ toolCallId: `${i}`, title: `Read ${i}`, kind: 'read' });
    await expect(rows).toHaveText(['Read 8', 'Read 9', 'Read 10', 'Read 11', 'Read 12']);
    const previous = ui.transcript.getByRole('button', { name: '7 earlier calls' });
    await previous.click();
    await expect(rows).toHaveCount(12);
    turn.say('Read it all.');
    turn.end();
    await ui.idle();
    // Done, it is one line.
    const line = ui.group('Read 12 files');
    await expect(line).toHaveAttribute('aria-expanded', 'false');
    await expect(rows).toHaveCount(0);
    await line.click();
    await expect(rows).toHaveCount(12);
    await line.click();
    await expect(rows).toHaveCount(0);
  });

  test('pull a call’s details when it is opened, not before', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/ToolDetail')) asked.push(request.postData() ?? '');
    });
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const long = Array.from({ length: 5000 }, (_, i) => `line ${i}`).join('\n');
    turn.did({
      toolCallId: '1',
      title: 'Read main.js',
      kind: 'read',
      rawInput: { path: 'src/main.js' },
      content: [said('the content')],
    });
    turn.did({
      toolCallId: '2',
      title: 'Edit main.js',
      kind: 'edit',
      content: [diff(`${weft.project}/src/main.js`, 'let a = 1;\n', 'const a = 1;\n')],
      locations: [{ path: `${weft.project}/src/main.js`, line: 3 }],
    });
    turn.did({
      toolCallId: '3',
      title: 'Run it',
      kind: 'execute',
      rawInput: { command: 'npm test' },
      content: [said(long)],
    });
    turn.say('Done.');
    turn.end();
    await ui.idle();
    await ui.group(/./).click();
    expect(asked).toEqual([]);

    await ui.tool('Read main.js').click();
    const detail = (title: string) =>
      ui.transcript
        .locator('.tool')
        .filter({ has: page.getByText(title, { exact: true }) })
        .locator('.detail');
    await expect(detail('Read main.js')).toContainText('the content');
    await expect(detail('Read main.js')).toContainText('src/main.js');
    expect(asked).toHaveLength(1);
    await ui.tool('Edit main.js').click();
    await expect(detail('Edit main.js')).toContainText('const a = 1;');
    await expect(detail('Edit main.js').locator('.diff-path')).toHaveText('src/main.js');
    // What a diff says is not said twice, but is there.
    await expect(detail('Edit main.js')).not.toContainText('src/main.js:3');
    await page.getByRole('button', { name: 'Actions for Edit main.js' }).click();
    await page.getByRole('menuitem', { name: 'As the agent sent it' }).click();
    await expect(detail('Edit main.js')).toContainText('src/main.js:3');
    await ui.tool('Run it').click();
    await expect(detail('Run it')).toContainText('npm test');
    await expect(detail('Run it')).toContainText('line 0');
    await ui.tool('Run it').click();
    await expect(detail('Run it')).toHaveCount(0);
    await expect(ui.tool('Run it')).toHaveAttribute('aria-expanded', 'false');
  });

  test('keep the line under the pointer where it is', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    for (let i = 0; i < 30; i++) turn.say(`Paragraph ${i} of some length, to fill the page.\n\n`);
    for (let i = 1; i <= 8; i++) turn.did({ toolCallId: `${i}`, title: `Read ${i}`, kind: 'read' });
    turn.say('Done.');
    turn.end();
    await ui.idle();
    const line = ui.group('Read 8 files');
    await ui.rests(); // the end of the turn has been followed
    const before = await line.boundingBox();
    await line.click();
    await expect(ui.tool('Read 8')).toBeVisible();
    const moved = async () => Math.abs(((await line.boundingBox())?.y ?? 0) - (before?.y ?? 0));
    expect(await moved()).toBeLessThanOrEqual(1);
    await ui.rests();
    expect(await moved()).toBeLessThanOrEqual(1);
  });

  test('tell failed and running calls apart, in words too', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.did({ toolCallId: '1', title: 'Good', kind: 'read' });
    turn.did({
      toolCallId: '2',
      title: 'Bad',
      kind: 'execute',
      status: 'failed',
      content: [said('no such file')],
    });
    turn.tool({ toolCallId: '3', title: 'Now', kind: 'search', status: 'in_progress' });
    await expect(ui.tool('Good')).toContainText('Done');
    await expect(ui.tool('Bad')).toContainText('Failed');
    await expect(ui.tool('Bad')).toContainText('no such file');
    await expect(ui.tool('Now')).toContainText('Running');
    turn.change({ toolCallId: '3', status: 'completed' });
    turn.say('.');
    turn.end();
    await ui.idle();
    await expect(ui.transcript.getByRole('button', { name: '1 failed' })).toBeVisible();
  });

  test('a group of one call is its row, with the thoughts around it', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.think('first');
    turn.did({
      toolCallId: '1',
      title: 'Run it',
      kind: 'execute',
      status: 'failed',
      content: [said('boom')],
    });
    turn.think('then');
    turn.say('Done.');
    turn.end();
    await ui.idle();
    await expect(ui.transcript.locator('.group-line')).toHaveCount(0);
    await expect(ui.tool('Run it')).toContainText('boom');
    await expect(ui.transcript.locator('.thought-line')).toHaveCount(2);
  });

  test('a large group is calm, shows its failures alone, and red is news', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    for (let i = 1; i <= 400; i++)
      turn.did({
        toolCallId: `${i}`,
        title: `Call ${i}`,
        kind: 'execute',
        ...(i % 10 === 3 && { status: 'failed', content: [said('no such file')] }),
      });
    turn.say('Done.');
    turn.end();
    await ui.idle();
    const chip = ui.transcript.getByRole('button', { name: '40 failed' });
    await expect(ui.group('Ran 400 commands').locator('.knot')).toHaveCount(1);
    await expect(ui.group('Ran 400 commands').locator('.knot')).toHaveAttribute('data-status', 'completed');
    await expect(chip).not.toHaveAttribute('data-past');
    await ui.picture('group-failed');
    await chip.click();
    await expect(chip).toHaveAttribute('aria-pressed', 'true');
    const rows = ui.transcript.locator('.tool-title');
    await expect(rows).toHaveCount(40);
    await expect(rows.first()).toHaveText('Call 3');
    await ui.picture('group-only-failed');
    await chip.click();
    await expect(rows.last()).toHaveText('Call 400');
    await expect(chip).toHaveAttribute('aria-pressed', 'false');
    await ui.send('and now');
    await expect(ui.tool('Call 393').locator('.knot')).toHaveAttribute('data-past', 'true');
  });

  test('show a call that was first heard of through an update, and what is of no known kind', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.change({ toolCallId: 'x', title: 'Unannounced', kind: 'read', status: 'completed' });
    turn.update({ sessionUpdate: 'weather_report', degrees: 21 });
    turn.say('Done.');
    turn.end();
    await ui.idle();
    await expect(ui.tool('Unannounced')).toBeVisible();
    await ui.transcript.getByRole('button', { name: "1 update that Weft can't show" }).click();
    await expect(ui.transcript).toContainText('weather_report');
    await expect(ui.transcript).toContainText('"degrees": 21');
  });
});

test.describe('thoughts', () => {
  test('stand in place, on top, or nowhere', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('One. ');
    turn.think('hmm');
    turn.say('Two.');
    turn.did({ toolCallId: '1', title: 'Read', kind: 'read' });
    turn.think('aha');
    turn.did({ toolCallId: '2', title: 'Search', kind: 'search' });
    turn.end();
    await ui.idle();
    await ui.group(/./).click();
    const place = ['you: go', 'agent: Robin'];
    const group = 'group: Read 1 file, searched once (completed)';
    expect(await ui.lines()).toEqual([
      ...place,
      'text: One.',
      '  thought',
      'text: Two.',
      group,
      '  tool: Read (completed)',
      '  thought',
      '  tool: Search (completed)',
    ]);
    await ui.transcript
      .getByRole('button', { name: /^Thought/ })
      .first()
      .click();
    await expect(ui.transcript.getByText('hmm')).toBeVisible();

    await ui.command('Show thoughts above messages');
    expect(await ui.lines()).toEqual([
      ...place,
      '  thought',
      '  thought',
      'text: One. Two.',
      group,
      '  tool: Read (completed)',
      '  tool: Search (completed)',
    ]);
    await ui.command('Hide thoughts');
    expect(await ui.lines()).toEqual([
      ...place,
      'text: One. Two.',
      group,
      '  tool: Read (completed)',
      '  tool: Search (completed)',
    ]);
    await page.reload();
    await expect(ui.text('One. Two.')).toBeVisible();
    await ui.openSettings('Appearance');
    await expect(page.getByRole('radio', { name: 'Hidden' })).toBeChecked();
    await page.getByRole('radio', { name: 'Inline' }).check({ force: true });
    await ui.spaces.getByRole('button', { name: /^go / }).first().click();
    await expect(ui.transcript.getByRole('button', { name: /^Thought/ }).first()).toBeVisible();
  });
});
