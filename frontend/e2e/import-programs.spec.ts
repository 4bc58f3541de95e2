import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

/** An entry as Claude Code keeps it, said in a minute of a morning. */
function entry(weft: Weft, n: number, parent: number | null, role: 'user' | 'assistant', content: unknown) {
  return JSON.stringify({
    ...{ parentUuid: parent === null ? null : id(parent), isSidechain: false, type: role, uuid: id(n) },
    ...{ message: { id: `msg_${n}`, role, content }, timestamp: `2026-03-01T09:0${n}:00.000Z` },
    ...{ cwd: weft.project, sessionId: id(9), version: '2.1.0' },
  });
}

/** A conversation whose second prompt was replaced by another one. */
async function keepConversations(weft: Weft): Promise<void> {
  const claude = join(weft.home, '.claude', 'projects', '-orchard');
  await mkdir(claude, { recursive: true });
  const edit = { file_path: join(weft.project, 'pears.js'), old_string: 'unripe', new_string: 'ripe' };
  const lines = [
    entry(weft, 1, null, 'user', 'How ripe are the pears?'),
    entry(weft, 2, 1, 'assistant', [
      { type: 'thinking', thinking: 'The file knows.' },
      { type: 'tool_use', id: 'toolu_1', name: 'Edit', input: edit },
    ]),
    `${entry(weft, 3, 2, 'user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Updated.' }]).slice(0, -1)},"toolUseResult":${JSON.stringify(
      {
        ...{ filePath: edit.file_path, oldString: 'unripe', newString: 'ripe' },
        structuredPatch: [{ oldStart: 3, lines: ['-unripe', '+ripe'] }],
      },
    )}}`,
    entry(weft, 4, 3, 'assistant', [{ type: 'text', text: 'They are **ripe** now.' }]),
    entry(weft, 5, 4, 'user', 'Pick them with a ladder'),
    entry(weft, 6, 5, 'assistant', [{ type: 'text', text: 'The ladder is gone.' }]),
    entry(weft, 7, 4, 'user', 'Pick them by hand'),
    entry(weft, 8, 7, 'assistant', [{ type: 'text', text: 'Picked.' }]),
  ];
  await writeFile(join(claude, `${id(9)}.jsonl`), `${lines.join('\n')}\n{"type":"assistant","torn`);
  const codex = join(weft.home, '.codex', 'sessions', '2026', '03', '02');
  await mkdir(codex, { recursive: true });
  const item = (payload: object) =>
    JSON.stringify({ timestamp: '2026-03-02T09:00:00.000Z', type: 'response_item', payload });
  const path = join(codex, `rollout-2026-03-02T09-00-00-${id(8)}.jsonl`);
  await writeFile(
    path,
    [
      JSON.stringify({
        ...{ timestamp: '2026-03-02T09:00:00.000Z', type: 'session_meta' },
        payload: { id: id(8), cwd: weft.project, timestamp: '2026-03-02T09:00:00.000Z' },
      }),
      item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Count the baskets' }] }),
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Four baskets.' }] }),
      '',
    ].join('\n'),
  );
}

test('offers conversations of other programs at the first start, and imports them by keys alone', async ({
  weft,
  page,
  ui,
}) => {
  await keepConversations(weft);
  const { puppet, agent } = await weft.actor('Robin');
  await weft.call('SetDefaultAgent', { agentId: agent.id });
  await weft.open(page);
  const offer = page.getByRole('region', { name: 'Found 1 conversation from Claude Code, 1 from Codex' });
  await expect(offer).toBeVisible();
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    await accessible(page, `import offer, ${colorScheme}`);
    await ui.picture(`${colorScheme}-import-offer`);
  }
  await offer.getByRole('button', { name: 'Import' }).focus();
  await page.keyboard.press('Enter');
  const over = page.getByRole('region', { name: 'Import conversations' });
  await expect(over.getByRole('status')).toContainText('Claude Code1 conversation imported, 1 branch');
  await expect(over.getByRole('status')).toContainText('Codex1 conversation imported');
  await ui.picture('import-offer-done');
  await over.getByRole('button', { name: 'Close' }).click();

  const row = ui.sidebar.getByRole('button', { name: /^How ripe are the pears/ });
  await expect(row).toContainText('Imported from Claude Code');
  await row.click();
  await expect(page.getByText('Imported from Claude Code').last()).toBeVisible();
  await expect.poll(() => ui.lines()).toContain('text: Picked.');
  await expect(page.getByText('Edit pears.js')).toBeVisible();
  await ui.picture('import-space');
  // The other way on is a branch.
  await expect(page.getByRole('button', { name: /2 of 2|1 of 2/ }).first()).toBeVisible();

  // Another agent continues it, which is told what was said.
  await page.getByRole('textbox').last().fill('And the apples?');
  await page.keyboard.press('Enter');
  const turn = await puppet.turn();
  expect(JSON.stringify(turn)).not.toContain('toolu_1');
  turn.end();
  await expect(page.getByText('received the conversation so far').first()).toBeVisible();
});

test(
  'shows in the settings what there is, imports again only what is new, and says what was refused',
  deep,
  async ({ weft, page, ui }) => {
    await keepConversations(weft);
    await weft.open(page);
    await ui.openSettings('Import');
    const section = page.getByRole('region', { name: 'Import', exact: true });
    await expect(section.getByRole('checkbox', { name: 'Claude Code' })).toBeChecked();
    await expect(section).toContainText('1 conversation ·');
    await section.getByRole('textbox', { name: 'Folder' }).fill('/not/there');
    await section.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(section.getByRole('alert')).toContainText('The folder /not/there can');
    await section.getByRole('textbox', { name: 'Folder' }).fill('');
    await symlink('/not/there', join(weft.home, '.claude', 'projects', '-orchard', `${id(6)}.jsonl`));
    await section.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(section.getByRole('status')).toContainText(
      '1 conversation imported, 1 branch, 1 not imported',
    );
    await section.getByText('Not imported (1)').click();
    await expect(section.getByRole('status').getByText('The file no longer exists.')).toBeVisible();
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme });
      await accessible(page, `import settings, ${colorScheme}`);
      await ui.picture(`${colorScheme}-import-settings`);
    }
    await section.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(section.getByRole('status')).toContainText(
      '0 conversations imported, 1 already imported, 1 not imported',
    );
    await expect(section).toContainText('all imported');
    await page.setViewportSize({ width: 390, height: 800 });
    await accessible(page, 'import settings, narrow');
    await ui.picture('import-settings-narrow');
  },
);
