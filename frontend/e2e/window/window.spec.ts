import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { armed, clickAnswer } from '../support/requests';
import { Screen } from '../support/screen';
import { Weft } from '../support/weft';
import { missing, Window } from './window';

// The production binary in its real window: the system's web view, the bindings, no server.

const absent = missing();
if (absent.length > 0 && process.env['CI'] !== undefined) {
  throw new Error(`${absent.join(' and ')} must be installed where CI runs: the window is tested with them.`);
}
test.skip(
  absent.length > 0,
  `The window was not tested: ${absent.join(' and ')} is not installed. Install xvfb and dbus.`,
);

test('the guide in the real window, closed and opened again', async () => {
  const weft = await Weft.create();
  let window = await Window.open(weft);
  try {
    let { page } = window.inspector;
    let ui = new Screen(page);
    await expect(page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
    await expect(page.getByRole('radio', { name: /^Try the offline guide/ })).toBeChecked();
    const first = page.getByRole('textbox', { name: 'First prompt' });
    await first.click();
    await page.keyboard.type('make a CONTRIBUTING file');
    await page.keyboard.press('Enter');

    const permission = ui.permissions;
    await expect(permission).toHaveAccessibleName(/^Permission required: Change .*CONTRIBUTING\.md$/);
    await expect(permission).toContainText('npm install');
    await page.keyboard.press('Control+Shift+j');
    await expect(permission).toBeFocused();
    await armed(permission);
    await page.keyboard.press('Shift+a');
    const menu = page.getByRole('menu');
    await clickAnswer(menu, menu.getByRole('menuitem', { name: 'Always allow…' }));
    await page.getByRole('button', { name: 'Customize…' }).click();
    const form = page.getByRole('form', { name: 'Always allow' });
    const glob = form.getByRole('textbox', { name: 'Files that match' });
    await expect(glob).toHaveValue('CONTRIBUTING.md');
    await expect(glob).toBeFocused();
    await expect(form.getByRole('status')).toHaveText('Also answers the current request.');
    await ui.picture('window-rule');
    await page.keyboard.press('Escape');
    await expect(form).toBeHidden();
    await armed(permission);
    await page.keyboard.press('1');
    await expect(permission).toBeHidden();
    await ui.idle();
    await expect(ui.transcript).toContainText('is on disk as proposed');
    expect(await readFile(join(weft.project, 'CONTRIBUTING.md'), 'utf8')).toContain('npm test');

    const line = ui.group(/./).last();
    await expect(line).toHaveAttribute('aria-expanded', 'false');
    await line.click();
    await expect(line).toHaveAttribute('aria-expanded', 'true');
    await ui.tool('Create CONTRIBUTING.md').click();
    await expect(ui.transcript.locator('.detail')).toContainText('npm test');
    await ui.picture('window');
    await line.click();
    await expect(ui.tool('Create CONTRIBUTING.md')).toHaveCount(0);
    const words = await ui.transcript.locator('.prose').allInnerTexts();

    await window.close();
    window = await Window.open(weft);
    page = window.inspector.page;
    ui = new Screen(page);
    await expect(ui.transcript).toContainText('is on disk as proposed');
    await expect
      .poll(() => ui.transcript.locator('.prose').allInnerTexts())
      .toEqual(expect.arrayContaining(words));
    await expect(ui.spaces.getByRole('listitem')).toHaveCount(1);
    await expect(ui.stop).toBeHidden();
    await window.close();
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});

test('a command runs in a live terminal of the real window', async () => {
  const weft = await Weft.create();
  await weft.start();
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.stop();
  const window = await Window.open(weft);
  try {
    const ui = new Screen(window.inspector.page);
    await ui.send('Run it');
    const turn = await puppet.turn();
    turn.tool({ toolCallId: 'run', title: 'Run it', kind: 'execute', status: 'in_progress' });
    const terminalId = await turn.terminal(
      `printf '\\033[32m✔ one\\033[0m two\\n'; until [ -e go ]; do sleep 0.05; done; exit 3`,
    );
    turn.change({ toolCallId: 'run', content: [{ type: 'terminal', terminalId }] });
    await ui.tool('Run it').click();
    const terminal = ui.transcript.locator('.terminal-view');
    await expect(terminal.locator('.xterm-rows')).toContainText('✔ one two');
    await expect(terminal).toContainText('Running');
    await ui.picture('window-terminal');
    await writeFile(join(weft.project, 'go'), '');
    await expect(terminal).toContainText('Exit code 3');
    await expect(terminal.locator('.ansi-green')).toHaveText('✔ one');
    turn.end();
    await ui.idle();
    await window.close();
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});
