import { join } from 'node:path';
import { processes } from './support/processes';
import { expect, test } from './support/test';

// Weft is killed while everything is open at once.

test('a permission, a terminal, a change and a form are there after a kill, or have ended visibly', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet } = await weft.puppet();
  await weft.trust();
  await weft.open(page);
  await ui.send('Work');
  const turn = await puppet.turn();
  await turn.write(join(weft.project, 'README.md'), 'Rewritten.\n');
  const terminal = await turn.terminal('echo compiling; sleep 986543');
  turn.tool({
    toolCallId: 'build',
    title: 'Run build',
    kind: 'execute',
    status: 'in_progress',
    content: [{ type: 'terminal', terminalId: terminal }],
  });
  void turn.ask({ toolCallId: 'delete', title: 'Delete main.js', kind: 'delete' });
  void turn.request('elicitation/create', {
    mode: 'form',
    message: 'What next?',
    requestedSchema: { type: 'object', properties: { next: { type: 'string', title: 'Next' } } },
  });
  const card = ui.transcript.getByRole('region', { name: /^Question: / });
  await card.getByRole('textbox', { name: 'Next' }).fill('half an ans');
  await expect(ui.permissions).toBeVisible();
  await expect.poll(() => processes('sleep 986543')).toBeGreaterThan(0);
  await ui.waiting(2);

  await weft.stop('SIGKILL');
  await expect.poll(() => processes('sleep 986543')).toBe(0);
  await weft.start();
  await weft.open(page);

  await expect(ui.error).toContainText('Weft was closed while the agent was working');
  await ui.group(/./).click();
  await expect(ui.transcript).toContainText('Weft was closed before this was answered');
  await expect(ui.permissions).toHaveCount(0);
  await expect(card).toHaveCount(0);
  await expect(ui.tool('What next?')).toContainText('Canceled');
  await expect(ui.tool('Delete main.js')).toContainText('Canceled');
  await ui.tool('Run build').click();
  await expect(ui.transcript).toContainText('compiling');
  await expect(ui.transcript).toContainText('Stopped when Weft was closed');
  await page.keyboard.press('Control+Shift+R');
  await expect(page.getByRole('region', { name: 'Changes' })).toContainText('README.md');
  await ui.picture('light-after-kill');
});
