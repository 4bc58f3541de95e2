import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { accessible } from './support/axe';
import { Canary } from './support/canary';
import { deep } from './support/deep';
import { diff, type Turn } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

// What agents change in files: seen, accepted, rejected, undone, by keyboard too.

const code = (lines: number) =>
  Array.from({ length: lines }, (_, i) => `export const row${i + 1} = count(${i + 1});`);

/** A file of the project, as it is on disk. */
async function put(weft: Weft, name: string, text: string): Promise<void> {
  await mkdir(dirname(join(weft.project, name)), { recursive: true });
  await writeFile(join(weft.project, name), text);
}
const held = (weft: Weft, name: string) => readFile(join(weft.project, name), 'utf8');

/** A turn that edits through Weft, through a tool of its own, and through a command. */
async function work(weft: Weft, turn: Turn): Promise<void> {
  const rows = code(60);
  rows[4] = 'export const row5 = count(five);';
  rows[30] = '// thirty-one';
  rows.splice(50, 2);
  turn.say('I go through the rows.');
  await turn.write(join(weft.project, 'src/rows.ts'), `${rows.join('\n')}\n`);
  turn.did({
    toolCallId: 'own',
    title: 'Edit notes/why.md',
    kind: 'edit',
    content: [diff(join(weft.project, 'notes/why.md'), null, '# Why\n\nRows are counted once.\n')],
  });
  await put(weft, 'notes/why.md', '# Why\n\nRows are counted once.\n');
  turn.tool({ toolCallId: 'shell', title: './clean.sh', kind: 'execute', status: 'in_progress' });
  await rm(join(weft.project, 'old.txt'));
  await put(weft, 'picture.bin', 'a\0c');
  await chmod(join(weft.project, 'clean.sh'), 0o755);
  turn.change({ toolCallId: 'shell', status: 'completed' });
  turn.say('Done.');
  turn.end();
}

/** The project as it is before the turn, which edits without questions. */
async function prepare(weft: Weft): Promise<void> {
  await weft.trust();
  await put(weft, 'src/rows.ts', `${code(60).join('\n')}\n`);
  await put(weft, 'old.txt', 'old\r\nlines');
  await put(weft, 'picture.bin', 'a\0b');
  await put(weft, 'clean.sh', '#!/bin/sh\n');
  await chmod(join(weft.project, 'clean.sh'), 0o644);
}

/** Opens the changes of five files. */
async function changed(weft: Weft, ui: Screen): Promise<void> {
  await prepare(weft);
  const { puppet } = await weft.puppet();
  await weft.open(ui.page);
  await ui.send('Count the rows once');
  await work(weft, await puppet.turn());
  await ui.idle();
  await ui.page.getByRole('button', { name: '5 files to review' }).click();
  await expect(ui.changes.locator('.change-file')).toHaveCount(5);
}

test('a hunk is accepted and another rejected, by keyboard only', async ({ weft, page, ui }) => {
  await prepare(weft);
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Count the rows once');
  await work(weft, await puppet.turn());
  await ui.idle();
  await page.keyboard.press('Control+Shift+R');
  await expect(ui.changes.locator('.change-file')).toHaveCount(5);
  await expect(ui.changes).toBeFocused();
  // Past the other files to the one with three hunks.
  const open = (name: string) => ui.changes.locator('.change-file[data-open]').filter({ hasText: name });
  await page.keyboard.press('Enter');
  for (const name of ['clean.sh', 'why.md', 'old.txt', 'picture.bin']) {
    await expect(open(name)).toBeVisible();
    await expect(ui.changes.getByText('Loading…')).toHaveCount(0);
    await page.keyboard.press('j');
  }
  await expect(open('rows.ts')).toBeVisible();
  await expect(ui.hunk(1)).toHaveAttribute('data-current', 'true');
  await expect(ui.changes).toContainText('count(five)');
  await page.keyboard.press('j');
  await expect(ui.hunk(2)).toHaveAttribute('data-current', 'true');
  await page.keyboard.press('r');
  await expect(ui.changes).not.toContainText('thirty-one');
  expect((await held(weft, 'src/rows.ts')).split('\n')[30]).toBe('export const row31 = count(31);');
  await expect(ui.hunk(2)).toContainText('Change 2 of 2');
  await page.keyboard.press('k');
  await expect(ui.hunk(1)).toHaveAttribute('data-current', 'true');
  await page.keyboard.press('a');
  await expect(ui.hunk(1)).toContainText('Change 1 of 1');
  await page.keyboard.press('s');
  await expect(ui.changes.locator('.change-pair').first()).toBeVisible();
  await page.keyboard.press('Shift+R');
  await expect(ui.changes.locator('.change-file')).toHaveCount(4);
  const rows = code(60);
  rows[4] = 'export const row5 = count(five);';
  expect(await held(weft, 'src/rows.ts')).toBe(`${rows.join('\n')}\n`);
  await page.keyboard.press('Escape');
  await expect(ui.changes).toBeHidden();
});

test('everything is put back, taken back, and accepted', async ({ weft, page, ui }) => {
  await changed(weft, ui);
  await ui.changes.getByRole('button', { name: 'Reject all' }).click();
  await expect(ui.changes).toContainText('No changes to review');
  expect(await held(weft, 'src/rows.ts')).toBe(`${code(60).join('\n')}\n`);
  expect(await held(weft, 'old.txt')).toBe('old\r\nlines');
  expect(await held(weft, 'picture.bin')).toBe('a\0b');
  expect((await stat(join(weft.project, 'clean.sh'))).mode & 0o777).toBe(0o644);
  await expect(stat(join(weft.project, 'notes'))).rejects.toThrow('ENOENT');
  await expect(ui.changes.locator('.change-last')).toContainText('7 changes were rejected');
  await ui.changes.getByRole('button', { name: 'Undo' }).click();
  await expect(ui.changes.locator('.change-file')).toHaveCount(5);
  expect(await held(weft, 'notes/why.md')).toContain('Rows are counted once.');
  await ui.changes.getByRole('button', { name: 'Accept all' }).click();
  await expect(ui.changes).toContainText('No changes to review');
  await expect(page.getByRole('button', { name: 'Review changes', exact: true })).toBeVisible();
  await expect(ui.changes).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(ui.changes.locator('.change-file')).toHaveCount(5);
  await expect(ui.changes.locator('.change-left')).toHaveCount(0);
  await ui.changes.getByRole('button', { name: 'Accept all' }).click();
  await expect(ui.changes).toContainText('No changes to review');
  expect(await held(weft, 'src/rows.ts')).toContain('count(five)');
});

test('what the user has edited since is shown and stays', async ({ weft, page, ui }) => {
  await changed(weft, ui);
  const mine = (await held(weft, 'src/rows.ts')).replace('// thirty-one', '// mine');
  await put(weft, 'src/rows.ts', mine);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(ui.changes.locator('.change-since')).toBeVisible();
  await ui.changes.getByRole('button', { name: /^Edited rows\.ts/ }).click();
  await expect(ui.hunk(2)).toContainText('You edited these lines later');
  await expect(ui.changes).toContainText('// mine');
  await expect(ui.hunk(2).getByRole('button', { name: 'Reject' })).toBeDisabled();
  await ui.picture('light-changes-conflict');
  await accessible(page, 'changes with a conflict');
  await ui.changes.getByRole('button', { name: 'Reject all' }).click();
  await expect(ui.changes.locator('.change-left')).toContainText("You edited some of the agent's changes");
  await expect(ui.changes.locator('.change-file')).toHaveCount(1);
  const rows = code(60);
  rows[30] = '// mine';
  expect(await held(weft, 'src/rows.ts')).toBe(`${rows.join('\n')}\n`);
});

test('everything since a prompt is undone, and taken back', async ({ weft, page, ui }) => {
  await prepare(weft);
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('First a note');
  const first = await puppet.turn();
  await first.write(join(weft.project, 'note.txt'), 'first\n');
  first.end();
  await ui.idle();
  await ui.send('Then the rows');
  const second = await puppet.turn();
  await second.write(join(weft.project, 'note.txt'), 'second\n');
  await work(weft, second);
  await ui.idle();
  await expect(page.getByRole('button', { name: '6 files to review' })).toBeVisible();
  await put(weft, 'notes/why.md', '# Why\n\nMine.\n');
  const prompt = ui.transcript.locator('.prompt').filter({ hasText: 'Then the rows' });
  await prompt.getByRole('button', { name: 'Undo all changes from here' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Undo all changes from here' });
  await expect(dialog.locator('.undo-list .undo-file')).toHaveCount(5);
  await expect(dialog.getByRole('group')).toContainText('notes/why.md');
  await ui.picture('light-undo-since');
  await accessible(page, 'undo since');
  await dialog.getByRole('button', { name: 'Undo 5 files' }).click();
  await expect(dialog).toBeHidden();
  await expect(ui.notices).toContainText('5 files restored');
  expect(await held(weft, 'note.txt')).toBe('first\n');
  expect(await held(weft, 'src/rows.ts')).toBe(`${code(60).join('\n')}\n`);
  expect(await held(weft, 'notes/why.md')).toBe('# Why\n\nMine.\n');
  await ui.notices.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => held(weft, 'note.txt')).toBe('second\n');
});

test('names and texts of agents are only shown', async ({ weft, page, ui }) => {
  const canary = await Canary.watch(page, weft.url);
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.open(page);
  await ui.send('Do your worst');
  const turn = await puppet.turn();
  const name = 'a<img src=x onerror=alert(1)>\u202egnp.exe {{path}} $t(close)';
  await turn.write(
    join(weft.project, name),
    '<script>alert(1)</script>\u202e\u2066\n[x](javascript:alert(1))\n\u0007\u001b[31mred\n',
  );
  turn.end();
  await ui.idle();
  await page.keyboard.press('Control+Shift+R');
  await expect(ui.changes.getByRole('button', { name: /^Added a<img/ })).toHaveAttribute(
    'aria-expanded',
    'true',
  );
  await expect(ui.changes.locator('.change-line')).toHaveCount(3);
  await expect(ui.changes).toContainText('\\u{202e}');
  await expect(ui.changes).toContainText('{{path}} $t(close)');
  await ui.transcript.getByRole('button', { name: 'Undo all changes from here' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toContainText('a<img src=x');
  await canary.silent('the changes');
});

test('a diff of 20 000 changed lines scrolls', deep, async ({ weft, page, ui }) => {
  await put(weft, 'big.ts', `${code(20_000).join('\n')}\n`);
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.open(page);
  await ui.send('Change every row');
  const turn = await puppet.turn();
  await turn.write(
    join(weft.project, 'big.ts'),
    `${code(20_000)
      .map((line, i) => (i % 2 === 0 ? line.replace('count', 'sum') : line))
      .join('\n')}\n`,
  );
  turn.end();
  await ui.idle();
  await page.keyboard.press('Control+Shift+R');
  await expect(ui.changes.getByRole('button', { name: /^Edited big\.ts/ })).toHaveAttribute(
    'aria-expanded',
    'true',
  );
  await expect(ui.hunk(1)).toContainText('of 10');
  const list = ui.changes.locator('.change-list');
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await expect(ui.changes).toContainText('sum(19999)');
  expect(await ui.changes.locator('.change-line').count()).toBeLessThan(300);
  await page.keyboard.press('k');
  await ui.hunk(1).getByRole('button', { name: 'Reject' }).click();
  await expect.poll(async () => (await held(weft, 'big.ts')).split('\n')[0]).toBe(code(1)[0]);
});

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme, viewport: { width: 1440, height: 900 } });

    test('the changes', deep, async ({ weft, page, ui }) => {
      await weft.space('guide', 'Older things');
      await changed(weft, ui);
      await page.mouse.move(700, 300);
      await ui.picture(`${theme}-changes-list`);
      await ui.changes.getByRole('button', { name: /^Edited rows\.ts/ }).click();
      await expect(ui.hunk(1)).toBeVisible();
      await expect(ui.changes.locator('.tok-keyword').first()).toBeVisible();
      await ui.picture(`${theme}-changes`);
      await accessible(page, 'changes', theme === 'light' ? 'all' : 'colours');
      await page.keyboard.press('s');
      await expect(ui.changes.locator('.change-pair').first()).toBeVisible();
      await ui.picture(`${theme}-changes-beside`);
      await accessible(page, 'changes side by side', theme === 'light' ? 'all' : 'colours');
      await page.keyboard.press('s');
      await page.setViewportSize({ width: 760, height: 800 });
      await ui.picture(`${theme}-changes-760`);
      await page.setViewportSize({ width: 1440, height: 900 });
      await ui.changes.getByRole('button', { name: 'Reject all' }).click();
      await expect(ui.changes).toContainText('No changes to review');
      await ui.picture(`${theme}-changes-none`);
      await accessible(page, 'no changes', theme === 'light' ? 'all' : 'colours');
    });
  });
}
