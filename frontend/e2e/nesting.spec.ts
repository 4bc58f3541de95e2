import { accessible } from './support/axe';
import { deep } from './support/deep';
import type { ToolCall, Turn } from './support/puppet';
import { chunk, diff, thought, toolCall } from './support/puppet';
import { answerByKey } from './support/requests';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';

// What sub-agents do, in the ways in which agents tell it.

const claude = (parentToolUseId: string) => ({ _meta: { claudeCode: { parentToolUseId } } });
const qwen = (parentToolCallId: string) => ({
  _meta: { toolName: 'read_file', parentToolCallId, subagentType: 'general' },
});

const nests = (ui: Screen) => ui.transcript.locator('.nest');
const line = (ui: Screen, n = 0) => ui.transcript.locator('.nest-line').nth(n);
const says = (turn: Turn, parent: string, text: string) => turn.update({ ...chunk(text), ...claude(parent) });
const child = (call: ToolCall, parent: string): ToolCall => ({ ...call, ...claude(parent) });

test.describe('sub-agents', () => {
  test('two at once: each under its call, closed, with a line that tells what it does now', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.say('I send two.');
    turn.tool({ toolCallId: 'A', title: 'Look at the sources', kind: 'think', status: 'in_progress' });
    turn.tool({ toolCallId: 'B', title: 'Mend the tests', kind: 'think', status: 'in_progress' });
    says(turn, 'A', 'I read ');
    says(turn, 'B', 'Mending ');
    says(turn, 'A', 'the **sources**.');
    await expect(nests(ui)).toHaveCount(2);
    await expect(line(ui)).toHaveAttribute('aria-expanded', 'false');
    await expect(line(ui)).toContainText('I read the **sources**.');
    turn.tool(child({ toolCallId: 'a1', title: 'Read main.js', kind: 'read', status: 'in_progress' }, 'A'));
    await expect(line(ui)).toContainText('Read main.js');
    await expect(line(ui, 1)).toContainText('Mending');
    turn.tool(child({ toolCallId: 'b1', title: 'Edit test.js', kind: 'edit', status: 'in_progress' }, 'B'));
    turn.tool(child({ toolCallId: 'b2', title: 'Ask a third', kind: 'think', status: 'in_progress' }, 'B'));
    turn.tool(
      child({ toolCallId: 'c1', title: 'Search the web', kind: 'fetch', status: 'in_progress' }, 'b2'),
    );
    await expect(line(ui, 1)).toContainText('Search the web');
    await ui.picture('light-nests-live');

    // By keys alone.
    await line(ui, 1).focus();
    await page.keyboard.press('Enter');
    await expect(line(ui, 1)).toHaveAttribute('aria-expanded', 'true');
    await expect(nests(ui)).toHaveCount(3);
    await page.keyboard.press('Tab');
    await expect(ui.tool('Edit test.js')).toBeFocused();
    await accessible(page, 'open nests', 'all');
    await ui.picture('light-nests-open');

    const files = [diff(`${weft.project}/test.js`, 'a\n', 'b\n')];
    turn.change({ toolCallId: 'c1', status: 'completed' });
    turn.change({ toolCallId: 'b2', status: 'completed' });
    turn.change({ toolCallId: 'b1', status: 'completed', content: files });
    turn.change({ toolCallId: 'a1', status: 'completed' });
    turn.change({ toolCallId: 'A', status: 'completed' });
    turn.change({ toolCallId: 'B', status: 'completed' });
    turn.say('Both are back.');
    // After its call has ended, one still reports.
    turn.did(child({ toolCallId: 'a2', title: 'Read late.js', kind: 'read' }, 'A'));
    turn.end();
    await ui.idle();
    await expect(ui.text('Both are back.')).toBeVisible();
    const group = ui.group('2 tool calls');
    if ((await group.getAttribute('aria-expanded')) === 'false') await group.click();
    await expect(line(ui)).toContainText('2 calls');
    await expect(line(ui, 1)).toContainText('3 calls, 1 file changed');
    const before = await ui.lines('open');
    expect(before).toEqual([
      'you: go',
      'agent: Robin',
      'text: I send two.',
      'group: 2 tool calls (completed)',
      '  tool: Look at the sources (completed)',
      '  tool: Read main.js (completed)',
      '  tool: Read late.js (completed)',
      '  tool: Mend the tests (completed)',
      '  tool: Edit test.js (completed)',
      '  tool: Ask a third (completed)',
      '  tool: Search the web (completed)',
      'text: Both are back.',
    ]);
    await page.reload();
    await expect(ui.group('2 tool calls')).toBeVisible();
    await ui.group('2 tool calls').click();
    await expect(line(ui)).toContainText('2 calls');
    await expect(line(ui, 1)).toContainText('3 calls, 1 file changed');
    expect(await ui.lines('open')).toEqual(before);
    await expect(nests(ui).first().locator('.nest-text')).toHaveText(/I read the sources\./);
    await expect(nests(ui).first().locator('.tool-title')).toHaveText(['Read main.js', 'Read late.js']);
  });

  test('a permission request of one is seen without opening anything', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.tool({ toolCallId: 'A', title: 'Tidy up', kind: 'think', status: 'in_progress' });
    turn.tool({ ...child({ toolCallId: 'a', title: 'Deeper', kind: 'think', status: 'in_progress' }, 'A') });
    const answer = turn.ask(
      child(
        { toolCallId: 'x', title: 'rm -r old', kind: 'execute', rawInput: { command: 'rm -r old' } },
        'a',
      ),
    );
    await expect(ui.permissions).toBeVisible();
    await expect(line(ui)).toContainText('Needs your answer');
    await accessible(page, 'a nested request', 'all');
    await ui.picture('light-nests-permission');
    // Closed by hand, it still shows what waits.
    await line(ui).click();
    await expect(line(ui)).toHaveAttribute('aria-expanded', 'false');
    await expect(ui.permissions).toBeVisible();
    await answerByKey(page, ui.permissions, '1');
    expect(await answer).toBe('yes');
    await expect(ui.permissions).toHaveCount(0);
    await expect(line(ui)).toContainText('rm -r old');
    turn.end();
  });

  test('qwen’s and codex’s ways nest, an unknown one, a circle and a missing parent stay flat', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    const codex = (threadId: string, path: string, activity: string) => ({
      _meta: { codex: { subagent: { threadId, path, activity } } },
    });
    turn.tool({ toolCallId: 'q', title: 'Qwen task', status: 'in_progress' });
    turn.updates([
      { ...thought('hm'), ...qwen('q') },
      { ...chunk('From qwen'), ...qwen('q') },
      toolCall({ toolCallId: 'q1', title: 'Qwen read', status: 'completed', ...qwen('q') }),
    ]);
    turn.did({ toolCallId: 's', title: 'Start subagent Echo', ...codex('t1', '/root/echo', 'started') });
    turn.did({ toolCallId: 'e', title: 'Complete subagent Echo', ...codex('t1', '/root/echo', 'completed') });
    turn.did({ toolCallId: 'u', title: 'Unknown way', _meta: { acme: { parent: 'q' } } });
    turn.did({ toolCallId: 'm', title: 'No such parent', ...claude('nobody') });
    turn.did({ toolCallId: 'r1', title: 'Round', ...claude('r2') });
    turn.did({ toolCallId: 'r2', title: 'And round', ...claude('r1') });
    turn.did({ toolCallId: 'late', title: 'Child first', ...claude('p') });
    turn.did({ toolCallId: 'p', title: 'Parent last' });
    turn.change({ toolCallId: 'q', status: 'completed' });
    turn.end();
    await ui.idle();
    await ui.group(/./).click();
    const top = ui.transcript.locator(
      '.group > .group-rows > .group-item > .tool > .tool-head > .tool-line .tool-title',
    );
    await expect(top).toHaveText([
      'Qwen task',
      'Start subagent Echo',
      'Unknown way',
      'No such parent',
      'Round',
      'And round',
      'Parent last',
    ]);
    await expect(nests(ui)).toHaveCount(3);
    await line(ui).click();
    await expect(nests(ui).first()).toContainText('From qwen');
    await expect(nests(ui).first().locator('.tool-title')).toHaveText('Qwen read');
    await expect(nests(ui).first().locator('.thought')).toHaveCount(1);
  });

  for (const theme of themes) {
    test.describe(`in the ${theme}`, () => {
      test.use({ colorScheme: theme, viewport: { width: 760, height: 800 } });
      test('many calls of one stay usable in a narrow window', deep, async ({ weft, page, ui }) => {
        const { puppet } = await weft.puppet();
        await weft.open(page);
        await ui.send('go');
        const turn = await puppet.turn();
        turn.tool({ toolCallId: 'A', title: 'Read everything', kind: 'think', status: 'in_progress' });
        turn.updates(
          Array.from({ length: 300 }, (_, i) => [
            { ...chunk(`Next is ${i}. `), ...claude('A') },
            toolCall(
              child({ toolCallId: `x${i}`, title: `Read ${i}.js`, kind: 'read', status: 'completed' }, 'A'),
            ),
          ]).flat(),
        );
        await expect(line(ui)).toContainText('300 calls');
        await line(ui).click();
        await expect(nests(ui).locator('.tool-title')).toHaveCount(25);
        await ui.transcript.getByRole('button', { name: '550 earlier items' }).click();
        await expect(nests(ui).locator('.tool-title')).toHaveCount(50);
        await accessible(page, `a long nest, ${theme}`, 'colours');
        await ui.picture(`${theme}-nest-narrow`);
        turn.end();
        // What is loaded again begins in the middle of it: it is together all the same.
        await ui.idle();
        await page.reload();
        await expect(ui.transcript.locator('.nest-line')).toHaveCount(1);
        await expect(ui.transcript.locator('.tool-line').filter({ hasText: /^Read \d/ })).toHaveCount(0);
      });
    });
  }
});
