import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { accessible } from './support/axe';
import { serveForge } from './support/forge';
import { agents, git, lines, repository } from './support/repository';
import { expect, test } from './support/test';
import { themes } from './support/themes';

// A turn, its footer, and a commit of what was accepted of it.

for (const scheme of themes) {
  test(`commits two of three hunks, by keyboard, in the ${scheme}`, async ({ weft, page, ui }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await weft.trust();
    await repository(weft);
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('Please change three lines. Nothing else.');
    const turn = await puppet.turn();
    turn.say('I change three lines.');
    await turn.write(join(weft.project, 'rows.txt'), lines({ ...agents, 28: 'edited by the user' }));
    turn.tool({ toolCallId: 'one', title: 'make check', kind: 'execute', status: 'in_progress' });
    turn.change({ toolCallId: 'one', status: 'completed' });
    turn.tool({ toolCallId: 'two', title: 'make test', kind: 'execute', status: 'in_progress' });
    turn.change({ toolCallId: 'two', status: 'failed' });
    turn.say('Done.');
    turn.end();
    await ui.idle();

    const footer = page.locator('.run-footer');
    await expect(footer).toContainText('1 file changed +3 −3');
    await expect(footer).toContainText('2 commands');
    await expect(footer).toContainText('1 failed');
    await accessible(page, 'the footer of a turn');

    await ui.picture(`${scheme}-run-footer`);
    await footer.getByRole('button', { name: 'Review' }).press('Enter');
    await expect(ui.changes).toBeFocused();
    await expect(ui.hunk(1)).toHaveAttribute('data-current', 'true');
    await expect(ui.hunk(3)).toBeVisible();
    await ui.picture(`${scheme}-review-first`);
    await page.keyboard.press('a');
    await expect(ui.hunk(1)).toContainText('Change 1 of 2');
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await expect(ui.hunk(1)).toContainText('Change 1 of 1');
    await page.keyboard.press('Escape');
    await expect(ui.changes).toBeHidden();

    await footer.getByRole('button', { name: 'Commit…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Commit accepted changes' });
    const message = dialog.getByRole('textbox', { name: 'Message' });
    await expect(message).toBeFocused();
    await expect(message).toHaveValue('Change three lines');
    await expect(dialog).toContainText('1 file still needs review.');
    await expect(dialog).toContainText('main');
    await expect(dialog.getByRole('checkbox', { name: /rows\.txt/ })).toBeChecked();
    await accessible(page, 'the dialog of a commit');
    await ui.picture(`${scheme}-commit`);
    await message.press('End');
    await message.pressSequentially(' of rows');
    // Who looks at what still needs review comes back to it.
    await dialog.getByRole('button', { name: 'Review' }).press('Enter');
    await expect(dialog).toBeHidden();
    await page.keyboard.press('Escape');
    await footer.getByRole('button', { name: 'Commit…' }).press('Enter');
    await expect(message).toHaveValue('Change three lines of rows');
    await message.press('Control+Enter');
    await expect(dialog).toBeHidden();
    await expect(page.getByText(/^Committed 1 file to main as [0-9a-f]{7,}$/)).toBeVisible();

    expect(await git(weft, 'log', '--format=%an: %s')).toBe('Ada: Change three lines of rows\nAda: Begin\n');
    const { 3: first, 20: third } = agents;
    expect(await git(weft, 'show', 'HEAD:rows.txt')).toBe(lines({ 3: first, 20: third }));
    expect(await git(weft, 'diff', '--cached', '--name-only')).toBe('mine.txt\n');
    expect(await readFile(join(weft.project, 'rows.txt'), 'utf8')).toBe(
      lines({ ...agents, 28: 'edited by the user' }),
    );
  });
}

test('says why there is nothing to commit, and accepts everything from there', async ({ weft, page, ui }) => {
  await weft.trust();
  await repository(weft);
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Add a file');
  const turn = await puppet.turn();
  await turn.write(join(weft.project, 'new.txt'), 'new\n');
  turn.end();
  await ui.idle();
  const footer = page.locator('.run-footer');
  await footer.getByRole('button', { name: 'Commit…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Commit accepted changes' });
  await expect(dialog).toContainText('No changes are accepted yet.');
  await accessible(page, 'nothing to commit');
  await dialog.getByRole('button', { name: 'Accept 1 file' }).click();
  await expect(dialog.getByRole('checkbox', { name: /new\.txt/ })).toBeChecked();
  await dialog.getByRole('textbox', { name: 'Message' }).fill('');
  await expect(dialog.getByRole('button', { name: 'Commit 1 file' })).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Message' }).fill('Add it');
  await writeFile(join(weft.project, '.git/index.lock'), '');
  await dialog.getByRole('button', { name: 'Commit 1 file' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Another git process is using this repository.');
  await git(weft, 'config', 'user.name', 'Ada');
  await rm(join(weft.project, '.git/index.lock'));
  await dialog.getByRole('button', { name: 'Commit 1 file' }).click();
  await expect(dialog).toBeHidden();
  expect(await git(weft, 'show', '--format=%s', '--name-status', 'HEAD')).toBe('Add it\n\nA\tnew.txt\n');
});

test('on a narrow screen, shows what is accepted, asks who commits, and offers what comes next', async ({
  weft,
  page,
  ui,
}) => {
  await weft.trust();
  await repository(weft);
  await git(weft, 'config', '--unset', 'user.name');
  await git(weft, 'config', '--unset', 'user.email');
  await git(weft, 'config', 'user.useConfigOnly', 'true');
  await git(weft, 'checkout', '--quiet', '-b', 'rows');
  await git(weft, 'remote', 'add', 'origin', 'https://ada:secret@github.com/ada/apples.git');
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Please change three lines. Nothing else.');
  const turn = await puppet.turn();
  await turn.write(join(weft.project, 'rows.txt'), lines({ ...agents, 28: 'edited by the user' }));
  await turn.write(
    join(weft.project, 'a/rather/long/path/to/a/file/with/a/long/name-of-a-file.txt'),
    'new\n',
  );
  turn.end();
  await ui.idle();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.keyboard.press('Control+Shift+R');
  await expect(ui.hunk(1)).toBeVisible();
  const inside = async (within: Locator) => {
    for (const button of await within.getByRole('button').all()) {
      const box = await button.boundingBox();
      if (box === null) continue;
      expect(box.x, (await button.textContent()) ?? '').toBeGreaterThanOrEqual(0);
      expect(box.x + box.width, (await button.textContent()) ?? '').toBeLessThanOrEqual(390);
    }
  };
  await inside(ui.changes);
  await ui.picture('changes-narrow');
  await ui.changes.getByRole('button', { name: 'Accept all' }).click();
  await expect(ui.changes).toContainText('No changes to review');
  await expect(ui.changes.getByRole('heading', { name: 'Accepted, not committed' })).toBeVisible();
  await ui.changes.getByRole('button', { name: /^Edited rows\.txt/ }).click();
  await expect(ui.changes).toContainText('second change');
  await expect(ui.changes.getByRole('button', { name: 'Reject change 1' })).toHaveCount(0);
  await inside(ui.changes);
  await ui.picture('changes-narrow-accepted');
  await accessible(page, 'accepted changes');

  // What was accepted by mistake is reviewed again.
  await ui.changes.getByRole('button', { name: 'Review again: rows.txt' }).click();
  await expect(ui.changes.locator('.change-kept')).toHaveCount(1);
  await expect(ui.changes.locator('.change-file')).toHaveCount(1);
  await expect(ui.changes.getByRole('button', { name: 'Reject change 1' })).toBeVisible();
  await expect(ui.changes).toBeFocused();
  await page.keyboard.press('Shift+A');
  await expect(ui.changes).toContainText('No changes to review');

  await ui.changes.locator('.change-empty').getByRole('button').first().click();
  const dialog = page.getByRole('dialog', { name: 'Commit accepted changes' });
  await expect(dialog).toContainText("Git doesn't know who you are.");
  await expect(dialog.getByRole('button', { name: 'Commit 2 files' })).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ada');
  await dialog.getByRole('textbox', { name: 'Email' }).fill('ada@example.org');
  await inside(dialog);
  await ui.picture('commit-narrow-nameless');
  await dialog.getByRole('button', { name: 'Commit 2 files' }).click();
  await expect(dialog.getByRole('status')).toContainText(/^Committed 2 files to rows as/);
  expect(await git(weft, 'log', '-1', '--format=%an %ae')).toBe('Ada ada@example.org\n');
  await expect(dialog).toContainText('https://github.com/ada/apples.git');
  await expect(dialog).not.toContainText('secret');
  await expect(dialog.getByRole('button', { name: 'Push to origin' })).toBeFocused();
  await expect(dialog.getByRole('button', { name: 'Open pull request' })).toBeEnabled();
  await inside(dialog);
  await accessible(page, 'after a commit');
  await ui.picture('commit-narrow-done');
});

test('pushes what was committed, and opens the page of its pull request', async ({
  weft,
  page,
  ui,
  context,
}, info) => {
  await weft.trust();
  await repository(weft);
  const forge = await serveForge(info.outputPath('forge'));
  await git(weft, 'remote', 'add', 'origin', forge.address);
  await git(weft, 'push', '--quiet', 'origin', 'main');
  await git(weft, 'checkout', '--quiet', '-b', 'rows');
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Add a file');
  const turn = await puppet.turn();
  await turn.write(join(weft.project, 'new.txt'), 'new\n');
  turn.end();
  await ui.idle();
  await page.locator('.run-footer').getByRole('button', { name: 'Commit…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Commit accepted changes' });
  await dialog.getByRole('button', { name: 'Accept 1 file' }).click();
  await dialog.getByRole('button', { name: 'Commit 1 file' }).click();

  const hook = join(info.outputPath('forge'), 'ada/apples.git/hooks/pre-receive');
  await writeFile(hook, "#!/bin/sh\necho 'No one pushes on Sundays.' >&2\nexit 1\n", { mode: 0o755 });
  await dialog.getByRole('button', { name: 'Push to origin' }).click();
  await expect(dialog.getByRole('alert')).toHaveText(
    "Git couldn't push to origin: No one pushes on Sundays.",
  );
  await rm(hook);
  await dialog.getByRole('button', { name: 'Push to origin' }).click();
  await expect(dialog.getByRole('status')).toContainText('Pushed rows to origin');
  expect(await git(weft, 'ls-remote', 'origin', 'refs/heads/rows')).toContain(
    (await git(weft, 'rev-parse', 'HEAD')).trim(),
  );

  const asked = new URL(forge.address.replace('.git', '/pull/new/rows')).href;
  await context.route(asked, (route) => route.fulfill({ body: 'A pull request' }));
  const opened = context.waitForEvent('page');
  await dialog.getByRole('button', { name: 'Open pull request' }).click();
  await (await opened).waitForURL(asked);
  forge.close();
});
