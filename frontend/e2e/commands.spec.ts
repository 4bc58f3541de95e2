import type { Locator, Page } from '@playwright/test';
import { accessible } from './support/axe';
import { shownMenu } from './support/menu';
import { said, type ToolCall } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';

// A command is written once, whichever form an agent has for it, and the end of its output is in view.

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const command = 'go vet ./... && echo "checked"';
const wrapped = `bash -lc '${command}'`;
const output = 'ok weft 0.4s\nchecked\n';

/** The forms of published agents: how a call is called, what it is given, and what it answers. */
const forms: Record<string, Omit<ToolCall, 'toolCallId'>> = {
  'Claude Code': {
    title: `\`${command}\``,
    rawInput: { command, description: 'Check the code' },
    rawOutput: output,
    content: [said(`\`\`\`console\n${output}\`\`\``)],
  },
  Codex: {
    title: wrapped,
    rawInput: { call_id: '1', command: ['bash', '-lc', command], cwd: '/w' },
    rawOutput: { aggregated_output: output, exit_code: 0, stdout: output, stderr: '' },
  },
  opencode: {
    title: command,
    rawInput: { command, cwd: '/w' },
    rawOutput: { output, metadata: { exit: 0 } },
    content: [said(output)],
  },
  Gemini: { title: command, content: [said(output)] },
  Qwen: {
    title: `Shell: ${command}`,
    rawInput: { command },
    content: [said(`Command: ${command}\nDirectory: (root)\nOutput: ${output}Exit Code: 0`)],
  },
  Copilot: {
    title: 'Check the code',
    rawInput: { command, description: 'Check the code' },
    content: [said(`${output}<shellId: 0 completed with exit code 0>`)],
  },
  Cline: {
    title: 'run_commands',
    rawInput: { commands: [command] },
    rawOutput: [{ query: command, result: output, success: true }],
  },
  goose: {
    title: 'shell',
    rawInput: { command: `/bin/zsh -lc '${command}'` },
    content: [said(`$ ${command}\n${output}`)],
  },
  Cursor: {
    title: `\`${wrapped}\``,
    rawInput: { command: wrapped },
    rawOutput: { exitCode: 0, stdout: output, stderr: '' },
  },
};

const rows = (page: Page) => page.locator('.transcript .tool');

/** How often a row and what is below it say something. */
async function times(row: Locator, words: string): Promise<number> {
  return ((await row.textContent()) ?? '').split(words).length - 1;
}

/** Opens the group, and every row of it. After a reload they are there a moment later. */
async function openAll(page: Page, ui: Screen): Promise<void> {
  const group = ui.group(/ran \d+ commands|\d+ tool calls/i);
  const shut = rows(page).locator('.tool-line[aria-expanded=false]');
  await expect(async () => {
    if ((await group.count()) > 0 && (await group.first().getAttribute('aria-expanded')) === 'false')
      await group.first().click();
    await expect(rows(page)).not.toHaveCount(0, { timeout: 5_000 });
    while ((await shut.count()) > 0) await shut.first().click({ timeout: 5_000 });
    await ui.rests();
    expect(await shut.count()).toBe(0);
  }).toPass({ timeout: 60_000 });
}

for (const theme of themes)
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });

    test('a command is written once, with its output', async ({ weft, page, ui }) => {
      const { puppet } = await weft.puppet();
      await weft.open(page);
      await ui.send('Check the code');
      const turn = await puppet.turn();
      for (const [name, form] of Object.entries(forms))
        turn.did({ toolCallId: name, kind: 'execute', ...form });
      turn.end();
      await ui.idle();
      for (const when of ['live', 'after a reload']) {
        if (when !== 'live') await page.reload();
        await expect(ui.group(/./).or(rows(page)).first()).toBeVisible();
        await openAll(page, ui);
        await expect(rows(page)).toHaveCount(Object.keys(forms).length);
        for (const [i, name] of Object.keys(forms).entries()) {
          const row = rows(page).nth(i);
          await expect(row, `${name}, ${when}`).toContainText('ok weft 0.4s');
          // Qwen repeats it in its text, which is shown as it came.
          const told = name === 'Qwen' ? 2 : 1;
          expect(await times(row, command), `the command of ${name}, ${when}`).toBe(told);
          expect(await times(row, 'bash -lc'), `the shell of ${name}, ${when}`).toBe(0);
          expect(await times(row, 'zsh -lc'), `the shell of ${name}, ${when}`).toBe(0);
          expect(await times(row, '```'), `a fence of ${name}, ${when}`).toBe(0);
        }
      }
      await accessible(page, `commands, ${theme}`, 'all');
      await ui.picture(`${theme}-commands`);

      // What the agent sent is there for who wants it.
      const codex = rows(page).nth(1);
      await expect(codex.locator('.tool-title')).toHaveAttribute('title', wrapped);
      await codex.getByRole('button', { name: `Actions for ${command}` }).press('Enter');
      await shownMenu(page).getByRole('menuitem', { name: 'As the agent sent it' }).press('Enter');
      await expect(codex.locator('.as-sent')).toContainText('"-lc"');
      // By the keyboard: the menu of the row copies what runs.
      await codex.getByRole('button', { name: `Actions for ${command}` }).press('Enter');
      await expect(shownMenu(page).getByRole('menuitem', { name: 'Copy command' })).toBeFocused();
      await ui.picture(`${theme}-commands-menu`);
      await page.keyboard.press('Enter');
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(command);
      for (const width of [760, 1720]) {
        await page.setViewportSize({ width, height: 900 });
        await ui.picture(`${theme}-commands-${width}`);
      }
    });
  });

test('a command that is more than a line is whole below its title', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  const script = 'cd src\nfor f in *.go; do\n  gofmt -l "$f"\ndone';
  turn.did({
    toolCallId: '1',
    kind: 'execute',
    title: script,
    rawInput: { command: ['bash', '-lc', script] },
  });
  turn.end();
  await ui.idle();
  await expect(rows(page).locator('.tool-title')).toHaveText('cd src …');
  await openAll(page, ui);
  await expect(rows(page).locator('.command')).toHaveText(`$ ${script}`);
  await ui.picture('light-commands-script');
});

test('the words about a command are not its output', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  turn.did({
    toolCallId: '1',
    kind: 'execute',
    title: 'grep -rn pear',
    rawInput: { command: 'grep -rn pear', description: 'Find the pears' },
    content: [said('Find the pears')],
    rawOutput: '(Bash completed with no output)',
  });
  turn.end();
  await ui.idle();
  await openAll(page, ui);
  await expect(rows(page).locator('pre.ansi')).toHaveText('(Bash completed with no output)');
});

test('a long output opens at its end, and begins with a whole line', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  const lines = Array.from({ length: 6000 }, (_, i) => `line ${i + 1} of the output that is long`);
  const text = lines.join('\n');
  const call = { kind: 'execute', status: 'completed' as const };
  turn.did({
    ...call,
    toolCallId: '1',
    title: 'seq 6000',
    rawInput: { command: 'seq 6000' },
    content: [said(text)],
  });
  turn.did({
    ...call,
    toolCallId: '2',
    title: 'seq 6001',
    rawInput: { command: 'seq 6001' },
    rawOutput: { output: text, exitCode: 0 },
  });
  turn.did({
    ...call,
    toolCallId: '3',
    title: 'seq 600',
    rawInput: { command: 'seq 600' },
    content: [said(lines.slice(0, 100).join('\n'))],
  });
  turn.end();
  await ui.idle();
  for (const when of ['live', 'after a reload']) {
    if (when !== 'live') await page.reload();
    await expect(ui.group(/./).or(rows(page)).first()).toBeVisible();
    await openAll(page, ui);
    for (const [i, last] of [6000, 6000, 100].entries()) {
      const box = rows(page).nth(i).locator('pre.ansi');
      await expect(box).toContainText(`line ${last} of the output`);
      await expect
        .poll(() => box.evaluate((it) => it.scrollHeight - it.clientHeight - it.scrollTop))
        .toBeLessThan(2);
      expect(((await box.textContent()) ?? '').split('\n')[0], when).toMatch(
        /^line \d+ of the output that is long$/,
      );
      // No line is cut at the upper edge of the box either.
      const cut = await box.evaluate((it) => {
        const { lineHeight, paddingTop } = getComputedStyle(it);
        const above = (it.scrollTop - Number.parseFloat(paddingTop)) / Number.parseFloat(lineHeight);
        return Math.abs(above - Math.round(above));
      });
      expect(cut, when).toBeLessThan(0.1);
    }
  }
  await ui.picture('light-commands-end');
});

test('a command that was stopped without a signal says so in a sentence', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.open(page);
  await ui.send('Serve');
  const turn = await puppet.turn();
  turn.tool({
    toolCallId: '1',
    title: 'serve',
    kind: 'execute',
    status: 'in_progress',
    rawInput: { command: 'sleep 100' },
  });
  const terminalId = await turn.terminal('sleep 100');
  turn.change({ toolCallId: '1', content: [{ type: 'terminal', terminalId }] });
  await ui.tool('sleep 100').click();
  await page.getByRole('button', { name: 'Stop the command' }).press('Enter');
  await expect(rows(page)).toContainText(/Stopped by you( \(\w+\))?/);
  await expect(rows(page)).not.toContainText('()');
  turn.end();
});
