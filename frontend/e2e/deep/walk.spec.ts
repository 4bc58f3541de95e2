import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diff, yesOrNo } from '../support/puppet';
import { agents, git, lines, repository } from '../support/repository';
import { armed } from '../support/requests';
import { expect, test } from '../support/test';
import { Walk } from '../support/walk';

test.use({ reducedMotion: 'no-preference' });

// A day's work without a mouse, from the first start to an empty inbox: every step is a key, and the focus is somewhere after it.

const command = (toolCallId: string, line: string) => ({
  toolCallId,
  title: line,
  kind: 'execute',
  rawInput: { command: line },
});

test('a day without a mouse', async ({ weft, page, ui }, info) => {
  const walk = new Walk(page, info);
  const { press, type, expectFocus, station } = walk;
  const rows = join(weft.project, 'rows.txt');
  await repository(weft);
  const { puppet } = await weft.actor('Robin');
  await weft.open(page);

  await station('first start', 8, async () => {
    await expect(page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
    for (const name of ['Agents found here', 'A model with your key', 'Browse agents'])
      await expect(page.getByRole('region', { name })).toBeVisible();
    await expect(page.getByRole('radio', { name: /^Robin/ })).toBeChecked();
    const words = page.getByRole('textbox', { name: 'First prompt' });
    await expectFocus(words);
    await walk.readKeys();
    await expectFocus(words);
    await press('Control+o');
    const dialog = page.getByRole('dialog', { name: 'Choose a folder' });
    const path = dialog.getByRole('textbox', { name: 'Path' });
    await expectFocus(path);
    await walk.until(dialog.getByRole('button', { name: 'orchard' }), 'ArrowDown');
    await press('Enter');
    await expect(path).toHaveValue(weft.project);
    await expectFocus(path);
    await press('Enter');
    await expect(dialog).toBeHidden();
    await expectFocus(words);
    await type('What is in rows.txt?');
  });

  await station('first answer', 1, async () => {
    await press('Enter');
    const turn = await puppet.turn();
    expect(turn.text).toBe('What is in rows.txt?');
    turn.say('Thirty lines.');
    turn.end();
    await expect(ui.text('Thirty lines.')).toBeVisible();
    await ui.idle();
    await expectFocus(ui.composer);
  });

  await station('a permission request', 4, async () => {
    await type('Please change three lines. Nothing else.');
    await press('Enter');
    const turn = await puppet.turn();
    const after = lines({ ...agents, 28: 'edited by the user' });
    const before = await readFile(rows, 'utf8');
    const call = { toolCallId: 'edit', title: 'Edit rows.txt', kind: 'edit' };
    const answer = turn.ask({ ...call, content: [diff(rows, before, after)] }, yesOrNo);
    await expect(ui.permissions).toBeVisible();
    // It comes, and the user continues to write.
    await expectFocus(ui.composer);
    await press('Control+Shift+j');
    await expectFocus(ui.permissions);
    // The diff is higher than the card, and is read to its end.
    await press('PageDown');
    const allow = ui.permissions.getByRole('button', { name: 'Allow', exact: true });
    await armed(ui.permissions);
    await expect(allow).toHaveAttribute('aria-disabled', 'false');
    await press('1');
    expect(await answer).toBe('yes');
    await expect(ui.permissions).toBeHidden();
    await expectFocus(ui.composer);
    await writeFile(rows, after);
    turn.change({ toolCallId: 'edit', status: 'completed' });
    turn.say('Done.');
    turn.end();
    await ui.idle();
    await expect(page.locator('.run-footer').last()).toContainText('1 file changed');
  });

  const next = ui.changes.getByRole('button', { name: 'Commit accepted changes…' });
  await station('changes', 5, async () => {
    await press('Control+Shift+r');
    await expectFocus(ui.changes);
    await expect(ui.hunk(1)).toContainText('Change 1 of 3');
    await expect(ui.hunk(1)).toHaveAttribute('data-current', 'true');
    await press('a');
    await expect(ui.hunk(1)).toContainText('Change 1 of 2');
    await press('j');
    await expect(ui.hunk(2)).toHaveAttribute('data-current', 'true');
    await press('a');
    await expect(ui.hunk(1)).toContainText('Change 1 of 1');
    await press('r');
    await expect(ui.changes).toContainText('No changes to review');
    await expectFocus(next);
    const { 3: first, 20: third } = agents;
    expect(await readFile(rows, 'utf8')).toBe(lines({ 3: first, 20: third, 28: 'edited by the user' }));
  });

  await station('commit', 3, async () => {
    await press('c');
    const dialog = page.getByRole('dialog', { name: 'Commit accepted changes' });
    const message = dialog.getByRole('textbox', { name: 'Message' });
    await expectFocus(message);
    await expect(message).toHaveValue('Change three lines');
    await walk.picture('commit');
    await press('Control+Enter');
    await expect(dialog).toBeHidden();
    await expect(page.getByText(/^Committed 1 file to main as [0-9a-f]{7,}$/)).toBeVisible();
    await expectFocus(next);
    await press('Escape');
    await expect(ui.changes).toBeHidden();
    await expectFocus(ui.composer);

    const { 3: first, 20: third } = agents;
    expect(await git(weft, 'show', '--format=%an: %s', '--name-status', 'HEAD')).toBe(
      'Ada: Change three lines\n\nM\trows.txt\n',
    );
    expect(await git(weft, 'show', 'HEAD:rows.txt')).toBe(lines({ 3: first, 20: third }));
    expect(await git(weft, 'diff', '--cached', '--name-only')).toBe('mine.txt\n');
    expect(await git(weft, 'diff', '--name-only')).toBe('rows.txt\n');
  });

  const prompt = (text: string) => ui.transcript.locator('.prompt').filter({ hasText: text });
  await station('a branch', 8, async () => {
    await press('Shift+Tab');
    await walk.until(prompt('What is in rows.txt?'), 'Alt+ArrowUp');
    await press('e');
    const editor = page.getByRole('textbox', { name: 'Edit your prompt' });
    await expectFocus(editor);
    await press('Control+a');
    await type('How long is rows.txt?');
    await press('Enter');
    const turn = await puppet.turn();
    expect(turn.text).toContain('How long is rows.txt?');
    turn.say('As long as a garden.');
    turn.end();
    await expect(ui.text('As long as a garden.')).toBeVisible();
    await ui.idle();
    await expectFocus(ui.composer);
  });

  await station('from branch to branch', 6, async () => {
    await press('Shift+Tab');
    await walk.until(prompt('How long is rows.txt?'), 'Alt+ArrowUp');
    await press('ArrowLeft');
    await expect(ui.text('Done.')).toBeVisible();
    await expectFocus(ui.transcript.getByRole('button', { name: 'Next branch (1 of 2)' }));
    await press('ArrowRight');
    await expect(ui.text('As long as a garden.')).toBeVisible();
    await expectFocus(ui.transcript.getByRole('button', { name: 'Previous branch (2 of 2)' }));
    await walk.readKeys();
    await press('/');
    await expectFocus(ui.composer);
  });

  const inbox = page.getByRole('listbox', { name: 'Inbox items' });
  const chosen = inbox.getByRole('option', { selected: true });
  await station('a second space', 5, async () => {
    await press('Control+n');
    await expectFocus(page.getByRole('textbox', { name: 'First prompt' }));
    await expect(page.getByRole('radio', { name: /^Robin/ })).toBeChecked();
    await type('Water the beds');
    await press('Enter');
    await expect(page.getByRole('heading', { name: 'Water the beds', level: 1 })).toBeVisible();
    await expectFocus(ui.composer);
    // Away to the first one, by its name.
    await press('Control+k');
    await expectFocus(ui.palette.getByPlaceholder('Type a command or space name'));
    await type('how long');
    await expect(ui.palette.getByRole('option', { selected: true })).toContainText('How long is…');
    await press('Enter');
    await expect(ui.palette).toBeHidden();
    await expect(prompt('How long is rows.txt?')).toBeVisible();
    await expectFocus(ui.composer);
  });

  await station('inbox', 8, async () => {
    const turn = await puppet.turn();
    expect(turn.text).toBe('Water the beds');
    const first = turn.ask(command('one', 'water --beds 1'), yesOrNo);
    await ui.waiting(1);
    const second = turn.ask(command('two', 'water --beds 2'), yesOrNo);
    await ui.waiting(2);
    await expectFocus(ui.composer);
    await press('Control+j');
    await expectFocus(inbox);
    await expect(chosen).toHaveText(/water --beds 1/);
    await press('j');
    await expect(chosen).toHaveText(/water --beds 2/);
    await press('k');
    await expect(chosen).toHaveText(/water --beds 1/);
    const details = page.getByRole('region', { name: 'Details' });
    const card = (line: string) => details.getByRole('region', { name: `Permission required: ${line}` });
    await armed(card('water --beds 1'));
    await walk.picture('inbox request');
    await press('1');
    expect(await first).toBe('yes');
    await expect(chosen).toHaveText(/water --beds 2/);
    await armed(card('water --beds 2'));
    await press('2');
    expect(await second).toBe('no');
    turn.say('One bed is wet.');
    turn.end();
    await expect(chosen).toHaveText(/Robin finished/);
    await expect(details).toContainText('One bed is wet.');
    await walk.picture('inbox finished');
    await press('d');
    await expect(page.getByText('Nothing needs your attention')).toBeVisible();
    await press('Escape');
    await expect(prompt('How long is rows.txt?')).toBeVisible();
    await expectFocus(ui.composer);
  });

  await station('outline', 8, async () => {
    await press('Control+Shift+g');
    const entries = page.getByRole('listbox', { name: 'Outline' });
    await expectFocus(entries);
    await press('ArrowDown');
    await expect(entries.getByRole('option', { selected: true })).toHaveCount(1);
    await press('Enter');
    await walk.isSomewhere();
    await press('Control+Shift+g');
    await expect(entries).toHaveCount(0);
    await ui.rests();
    await walk.until(ui.composer, '/');
  });

  await walk.done();
});
