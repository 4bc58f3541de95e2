import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { asking, type Turn } from './support/puppet';
import { rule } from './support/rules';
import { expect, test } from './support/test';
import { themes } from './support/themes';

// What an agent does without asking, although the space is read-only, is told at once and can be undone.

const notice = (page: Page) => page.getByRole('region', { name: 'Not asked' });

/** Runs a command without asking, which changes a file. */
function act(turn: Turn, file: string) {
  turn.say('I tidy up.');
  const command = `echo tidy > ${file}`;
  const call = { toolCallId: 'c', title: command, kind: 'execute', rawInput: { command } };
  turn.tool({ ...call, status: 'in_progress' });
  writeFileSync(file, 'tidy\n');
  turn.change({ toolCallId: 'c', status: 'completed' });
}

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });

    test('tells what was done in a read-only space, names the agent, and undoes it', async ({
      weft,
      page,
      ui,
    }) => {
      const { puppet, space } = await weft.puppet();
      const file = join(weft.project, 'notes.txt');
      writeFileSync(file, 'mine\n');
      await weft.call('UpdateSpace', { spaceId: space.id, permissions: 'read-only' });
      await weft.open(page);
      await ui.send('Look around');
      const turn = await puppet.turn();
      act(turn, file);
      await expect(notice(page)).toContainText('The agent did this without asking');
      await expect(notice(page)).toContainText('This space is read-only.');
      const lock = page.getByRole('button', {
        name: /^Permissions: Read-only, but Robin acts without asking$/,
      });
      await expect(lock).toBeVisible();
      turn.say('It is tidy now.');
      turn.end();
      await ui.idle();
      await expect(page.getByText('Not asked: the agent did this without permission')).toBeVisible();
      await ui.picture(`${theme}-not-asked`);
      await accessible(page, 'something was not asked about');
      await page.setViewportSize({ width: 760, height: 800 });
      await ui.picture(`${theme}-not-asked-narrow`);
      await lock.click();
      await expect(page.getByText(/Robin acted without asking/)).toBeVisible();
      await ui.picture(`${theme}-not-asked-lock`);
      await page.keyboard.press('Escape');

      await notice(page).getByRole('button', { name: 'Undo changes' }).click();
      const dialog = page.getByRole('dialog');
      await expect(dialog).toContainText('notes.txt');
      await dialog.getByRole('button', { name: /^Undo/ }).click();
      await expect.poll(() => readFile(file, 'utf8')).toBe('mine\n');
      await notice(page).getByRole('button', { name: 'Dismiss' }).press('Enter');
      await expect(notice(page)).toHaveCount(0);
      await expect(page.getByRole('region', { name: 'Sandbox for Robin' })).toBeVisible();
      await expect(ui.composer).toBeFocused();

      await ui.openSettings();
      await expect(page.locator('.agent', { hasText: 'Robin' })).toContainText("Doesn't ask");
      await ui.picture(`${theme}-not-asked-agent`);
    });
  });
}

test('keeps what was found on disk in the history', async ({ weft, page, ui }) => {
  // Against a rule: in a read-only space, what is found on disk isn't the agent's, which runs in a sandbox.
  const { puppet } = await weft.puppet('Robin', { modes: asking });
  await weft.saveRules(rule({ effect: 'reject', path: 'new.txt' }));
  await weft.open(page);
  await ui.send('Look around');
  const turn = await puppet.turn();
  writeFileSync(join(weft.project, 'new.txt'), 'new\n');
  turn.say('I looked.');
  turn.end();
  await expect(notice(page)).toContainText('Changed new.txt');
  await expect(page.getByText('Not asked: Weft found this change on disk')).toBeVisible();
  await page.reload();
  await expect(notice(page)).toContainText('Changed new.txt');
  await ui.openSettings('Permissions');
  await page.getByRole('radio', { name: 'History' }).check();
  const row = page.getByRole('list', { name: 'Decisions' }).getByRole('listitem');
  await expect(row).toContainText('Not asked');
  await expect(row).toContainText('new.txt');
});
