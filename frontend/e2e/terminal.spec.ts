import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import type { Turn } from './support/puppet';
import { expect, test } from './support/test';
import { themes } from './support/themes';

// Commands that Weft runs for an agent: real ones, in real terminals.

const shown = (row: Locator) => row.locator('.terminal-view');

/** Creates a terminal and a call that names it. */
async function run(turn: Turn, toolCallId: string, command: string, more: object = {}): Promise<string> {
  turn.tool({
    toolCallId,
    title: `Run ${toolCallId}`,
    kind: 'execute',
    status: 'in_progress',
    rawInput: { command },
  });
  const terminalId = await turn.terminal(command, more);
  turn.change({ toolCallId, content: [{ type: 'terminal', terminalId }] });
  return terminalId;
}

test('a command is seen while it runs, with its colours, and afterwards', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.open(page);
  await ui.send('Run the tests');
  const turn = await puppet.turn();
  const id = await run(
    turn,
    'test',
    `printf '\\033[32m✔ one\\033[0m\\n\\033[31m✖ two\\033[0m\\n'; until [ -e go ]; do sleep 0.05; done; echo last; exit 3`,
  );
  const row = ui.transcript.locator('.tool').filter({ hasText: 'Run test' });
  // The last line in the row itself.
  await expect(row.locator('.tool-note')).toHaveText('✖ two');
  await ui.tool('Run test').click();
  const terminal = shown(row);
  await expect(terminal.locator('.xterm-rows')).toContainText('✔ one');
  // The mark may be a span of its own, by the fonts there are.
  await expect(
    terminal.locator('.xterm-rows [class*=xterm-fg-]').filter({ hasText: 'one' }).first(),
  ).toBeVisible();
  await expect(terminal).toContainText('Running');
  await expect(terminal.getByRole('button', { name: 'Stop the command' })).toBeVisible();
  await writeFile(join(weft.project, 'go'), '');
  expect(await turn.request('terminal/wait_for_exit', { terminalId: id })).toMatchObject({ exitCode: 3 });
  await expect(terminal).toContainText('Exit code 3');
  await expect(terminal.locator('.xterm')).toHaveCount(0);
  await expect(terminal.locator('.ansi-green')).toHaveText('✔ one');
  await expect(terminal.locator('pre.ansi')).toContainText('last');
  await expect(terminal.getByRole('button', { name: 'Stop the command' })).toHaveCount(0);
  const output = (await turn.request('terminal/output', { terminalId: id })) as { output: string };
  expect(output.output).toBe('\u001b[32m✔ one\u001b[0m\n\u001b[31m✖ two\u001b[0m\nlast\n');
  await turn.request('terminal/release', { terminalId: id });
  turn.change({ toolCallId: 'test', status: 'completed' });
  turn.end();
  await ui.idle();
  // It ended with 3, whatever the agent says of it.
  await expect(row.locator('.tool-note')).toHaveText('Exit code 3: ✔ one ✖ two last');
  await expect(row).toHaveAttribute('data-status', 'failed');
  await page.reload();
  await ui.tool('Run test').click();
  await expect(row).toContainText('The agent reported “Done”, but the result says that the call failed.');
  await expect(terminal.locator('pre.ansi')).toHaveText(/✔ one\n✖ two\nlast/);
  await expect(terminal).toContainText('Exit code 3');
});

test('a reload in the middle shows the same, and goes on', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.open(page);
  await ui.send('Serve');
  const turn = await puppet.turn();
  await run(
    turn,
    'serve',
    `echo 'übung'; echo before; until [ -e go ]; do sleep 0.05; done; echo after; sleep 1000`,
  );
  await ui.tool('Run serve').click();
  const rows = ui.transcript.locator('.xterm-rows');
  await expect(rows).toContainText('before');
  await page.reload();
  await ui.tool('Run serve').click();
  await expect(rows).toContainText('before');
  await writeFile(join(weft.project, 'go'), '');
  await expect(rows).toContainText('after');
  await expect(rows).toContainText('übung');
  expect(((await rows.textContent()) ?? '').match(/before/g)).toHaveLength(1);
  turn.end();
  await ui.idle();
  // It runs on after its turn, and says so.
  await expect(ui.transcript.locator('.terminal-view')).toContainText('Running');
  await page.getByRole('button', { name: 'Stop the command' }).click();
  await expect(ui.transcript.locator('.terminal-view')).toContainText('Stopped by you (SIGTERM)');
});

test('the user ends a command by key, and the agent hears of it', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.open(page);
  await ui.send('Wait');
  const turn = await puppet.turn();
  const id = await run(turn, 'wait', `echo waiting; sleep 1000`);
  const waited = turn.request('terminal/wait_for_exit', { terminalId: id });
  await ui.tool('Run wait').press('Enter');
  await expect(ui.transcript.locator('.xterm-rows')).toContainText('waiting');
  await page.getByRole('button', { name: 'Stop the command' }).focus();
  await page.keyboard.press('Enter');
  expect(await waited).toMatchObject({ signal: 'SIGTERM' });
  await expect(ui.transcript.locator('.terminal-view')).toContainText('Stopped by you (SIGTERM)');
  turn.end();
  await ui.idle();
});

test('a command that no call names gets one of its own', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.open(page);
  await ui.send('Quietly');
  const turn = await puppet.turn();
  const id = await turn.terminal('echo nobody names me');
  await turn.request('terminal/wait_for_exit', { terminalId: id });
  await expect(ui.tool('echo nobody names me')).toBeVisible();
  turn.tool({
    toolCallId: 'late',
    title: 'Late',
    kind: 'execute',
    content: [{ type: 'terminal', terminalId: id }],
  });
  turn.change({ toolCallId: 'late', status: 'completed' });
  await ui.tool('Late').click();
  await expect(ui.transcript).toContainText('This terminal is shown with “echo nobody names me”.');
  turn.end();
  await ui.idle();
});

test('a flood leaves the window and the agent alive', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.open(page);
  await ui.send('Flood');
  const turn = await puppet.turn();
  const id = await run(turn, 'flood', 'yes the flood');
  await ui.tool('Run flood').click();
  const terminal = ui.transcript.locator('.terminal-view');
  await expect(terminal).toContainText(/The first [\d.]+\sMB aren't shown/);
  await ui.picture('terminal-flood');
  // The agent is heard, and the window answers while it continues.
  turn.say('I am still here.');
  await expect(ui.text('I am still here.')).toBeVisible();
  await ui.composer.fill('and so am I');
  await expect(ui.composer).toHaveValue('and so am I');
  await page.getByRole('button', { name: 'Stop the command' }).click();
  await expect(terminal).toContainText('Stopped by you');
  await expect(terminal.locator('pre.ansi')).toContainText('the flood');
  await turn.request('terminal/release', { terminalId: id });
  turn.end();
  await ui.idle();
  await page.reload();
  await ui.tool('Run flood').click();
  await expect(terminal).toContainText(/The first [\d.]+\sMB aren't shown/);
  await terminal.getByRole('button', { name: /Show more/ }).click();
  await expect(terminal.locator('pre.ansi')).toContainText('the flood');
});

test('a terminal that the agent only shows looks the same, and cannot be ended', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.open(page);
  await ui.send('Show');
  const turn = await puppet.turn();
  turn.tool({
    toolCallId: 'shown',
    title: 'Run make',
    kind: 'execute',
    status: 'in_progress',
    content: [{ type: 'terminal', terminalId: 'theirs' }],
    _meta: { terminal_info: { terminal_id: 'theirs' } },
  });
  turn.change({
    toolCallId: 'shown',
    _meta: { terminal_output: { terminal_id: 'theirs', data: 'cc a.c\r\n' } },
  });
  await expect(ui.transcript.locator('.tool-note')).toHaveText('cc a.c');
  await ui.tool('Run make').click();
  const terminal = ui.transcript.locator('.terminal-view');
  await expect(terminal.locator('.xterm-rows')).toContainText('cc a.c');
  await expect(terminal).toContainText('Running');
  await expect(page.getByRole('button', { name: 'Stop the command' })).toHaveCount(0);
  // Someone else looks in the middle of it.
  await page.reload();
  await ui.tool('Run make').click();
  await expect(terminal).toContainText('cc a.c');
  turn.change({
    toolCallId: 'shown',
    _meta: { terminal_output: { terminal_id: 'theirs', data: 'cc b.c\r\n' } },
  });
  await expect(terminal.locator('.xterm-rows')).toContainText('cc b.c');
  await expect(terminal.locator('.xterm-rows')).toContainText('cc a.c');
  turn.change({
    toolCallId: 'shown',
    status: 'completed',
    _meta: { terminal_exit: { terminal_id: 'theirs', exit_code: 2, signal: null } },
  });
  await expect(terminal).toContainText('Exit code 2');
  await expect(terminal.locator('pre.ansi')).toContainText('cc a.c');
  turn.end();
  await ui.idle();
  await page.reload();
  await ui.tool('Run make').click();
  await expect(terminal).toContainText('Exit code 2');
});

test('what a program sends is text, whatever it tries', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.trust();
  await writeFile(
    join(weft.project, 'hostile.sh'),
    `printf '\\033]0;HACKED\\007\\033]8;;javascript:alert(1)\\033\\\\press here\\033]8;;\\033\\\\\\n'
printf '\\033]52;c;SEFDS0VE\\007<img src=x onerror="document.title=1">\\n\\033[6n\\033[c\\377\\376 \\000 end\\n'
until [ -e go ]; do sleep 0.05; done; printf '\\033[?1049h\\033[2J'`,
  );
  await weft.open(page);
  await ui.send('Try');
  await expect(page).toHaveTitle(/^Try /); // it is named after its first prompt
  const title = await page.title();
  const turn = await puppet.turn();
  await run(turn, 'try', 'sh hostile.sh');
  await ui.tool('Run try').click();
  const rows = ui.transcript.locator('.xterm-rows');
  await expect(rows).toContainText('end');
  await rows.getByText('press here').click({ force: true });
  await expect(rows).toContainText('<img src=x onerror="document.title=1">');
  await writeFile(join(weft.project, 'go'), '');
  const output = ui.transcript.locator('.terminal-view pre.ansi');
  await expect(output).toContainText('<img src=x onerror="document.title=1">');
  await expect(output).toContainText('press here');
  expect(await ui.transcript.locator('img').count()).toBe(0);
  expect(await page.title()).toBe(title);
  turn.end();
  await ui.idle();
});

test('after a crash of Weft the output is there, and that it was ended', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.open(page);
  await ui.send('Build');
  const turn = await puppet.turn();
  await run(turn, 'build', 'echo compiling; sleep 1000');
  await ui.tool('Run build').click();
  await expect(ui.transcript.locator('.xterm-rows')).toContainText('compiling');
  await weft.stop('SIGKILL');
  await weft.start();
  await weft.open(page);
  await ui.tool('Run build').click();
  const terminal = ui.transcript.locator('.terminal-view');
  await expect(terminal.locator('pre.ansi')).toContainText('compiling');
  await expect(terminal).toContainText('Stopped when Weft was closed');
});

const check = `
printf '\\033[1m# apples\\033[0m\\n'
for i in 1 2 3 4 5 6 7; do printf "\\033[32m✔ counts row $i\\033[0m \\033[2m(0.%d ms)\\033[0m\\n" $i; done
printf '\\033[31m✖ leaves empty baskets out\\033[0m\\n  \\033[33mexpected 0, got 1\\033[0m\\n'
printf '  \\033[36mat test/apples.test.js:12\\033[0m\\n\\033[44;97m 7 passed \\033[0m \\033[41;97m 1 failed \\033[0m\\n'
exit 1`;
const serve = `
echo 'listening on http://127.0.0.1:8080'
printf '\\033[35mGET\\033[0m /apples \\033[32m200\\033[0m 12 ms\\n'
printf '\\033[35mGET\\033[0m /pears \\033[31m404\\033[0m 3 ms\\n'
sleep 1000`;

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });
    test('it looks right', deep, async ({ weft, page, ui }) => {
      const { puppet } = await weft.puppet();
      await weft.trust();
      await writeFile(join(weft.project, 'check.sh'), check);
      await writeFile(join(weft.project, 'serve.sh'), serve);
      await weft.open(page);
      await ui.send('Run the tests and start the server');
      const turn = await puppet.turn();
      turn.say('I run the tests first.');
      const tests = await run(turn, 'tests', 'sh check.sh');
      await turn.request('terminal/wait_for_exit', { terminalId: tests });
      turn.change({ toolCallId: 'tests', status: 'completed' });
      await run(turn, 'server', 'sh serve.sh --port 8080');
      await expect(ui.tool('Run server').locator('.tool-note')).toHaveText('GET /pears 404 3 ms');
      await ui.picture(`${theme}-terminal-rows`);
      await accessible(page, 'terminal rows', theme === 'light' ? 'all' : 'colours');
      await ui.tool('Run tests').click();
      await ui.tool('Run server').click();
      await ui.transcript.locator('.terminal-view').last().scrollIntoViewIfNeeded();
      await expect(ui.transcript.locator('.xterm-rows')).toContainText('/pears');
      await ui.picture(`${theme}-terminal`);
      await accessible(page, 'terminals', theme === 'light' ? 'all' : 'colours');
      await ui.group(/./).click();
      await ui.picture(`${theme}-terminal-closed`);
      await page.setViewportSize({ width: 760, height: 800 });
      await ui.group(/./).click();
      await ui.picture(`${theme}-terminal-narrow`);
      turn.end();
    });
  });
}
