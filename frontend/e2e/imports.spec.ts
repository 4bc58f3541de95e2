import { accessible } from './support/axe';
import { expect, test } from './support/test';
import { themes } from './support/themes';

const file = [
  {
    title: 'Pears and how to keep them',
    messages: [
      { role: 'user', content: 'How long do they keep?', time: '2026-01-02T03:04:05Z' },
      {
        role: 'agent',
        thinking: 'Cold helps.',
        content: 'Two weeks.',
        toolCalls: [{ name: 'Read', kind: 'read', result: 'pears: 14 days' }],
      },
    ],
  },
  { title: 'Bad', messages: [{ role: 'robot', content: 'x' }] },
];

test('imports conversations by keys alone, tells what is wrong, and none twice', async ({
  weft,
  page,
  ui,
}) => {
  await weft.open(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('import conv');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Import conversations' });
  const text = file.map((one) => JSON.stringify(one)).join('\n');
  const choose = async () => {
    const picked = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Choose files…' }).focus();
    await page.keyboard.press('Enter');
    await (await picked).setFiles({
      name: 'chats.jsonl',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(text),
    });
  };
  await choose();
  await expect(dialog.getByRole('listitem')).toHaveCount(2);
  await expect(dialog.getByRole('region', { name: 'chats.jsonl' })).toContainText(
    '1 conversation imported, 1 not imported',
  );
  await expect(dialog.getByRole('listitem').nth(1)).toContainText(
    'Line 2, messages[0]: The role “robot” is unknown.',
  );
  // It is in the sidebar while the dialog is open.
  await expect(page.getByText('Pears and how to keep them')).toHaveCount(2);
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    await accessible(page, `import, ${colorScheme}`);
    await ui.picture(`${colorScheme}-import`);
  }
  await page.setViewportSize({ width: 760, height: 700 });
  await accessible(page, 'import, narrow');
  await choose();
  await expect(dialog.getByRole('listitem').first()).toContainText('Already imported');
  await dialog.getByRole('button', { name: /^Pears/ }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect.poll(() => ui.lines()).toContain('text: Two weeks.');
  await page.getByRole('textbox').last().fill('And apples?');
  await page.keyboard.press('Enter');
  await expect(page.getByText('received the conversation so far').first()).toBeVisible();
});
