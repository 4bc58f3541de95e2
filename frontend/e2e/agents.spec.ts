import { readFile } from 'node:fs/promises';
import { accessible } from './support/axe';
import { binary } from './support/binary';
import { deep } from './support/deep';
import { shownMenu } from './support/menu';
import { expect, test } from './support/test';
import { scriptPath } from './support/weft';

test.describe('agents in the settings', () => {
  test('adds an agent, tests it, and talks to it', async ({ weft, page, ui }) => {
    await weft.open(page);
    await ui.openSettings();
    await page.getByRole('button', { name: 'Add agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add agent' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Second guide');
    await dialog.getByRole('textbox', { name: /^Command/ }).fill(binary());
    await dialog.getByRole('textbox', { name: /^Arguments/ }).fill('agent');
    await dialog.getByRole('button', { name: 'Add variable' }).click();
    await dialog.getByLabel('Variable 1').fill('COLOUR');
    await dialog.getByLabel('Value of COLOUR').fill('green');
    const add = dialog.getByRole('button', { name: 'Add agent' });
    const before = await add.boundingBox();
    await dialog.getByRole('button', { name: 'Test' }).click();
    await expect(dialog.getByText('Works, answered in')).toBeInViewport();
    await expect(dialog).toContainText('Protocol version');
    // The buttons have stayed, but for a fraction of a pixel.
    expect(Math.abs(((await add.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(1);
    await expect(dialog).toContainText('Can continue earlier conversations');
    await add.click();
    await expect(dialog).toBeHidden();

    const row = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: /^Second guide/ }) });
    await expect(row).toContainText('Custom');
    await row.getByRole('button', { name: 'Test' }).click();
    await expect(row).toContainText('Works, answered in');
    await row.getByRole('button', { name: 'Actions for Second guide' }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Make default' }).click();
    await expect(row).toContainText('Default');
    // A menu that is about to close takes the keys.
    await expect(page.getByRole('menu')).toHaveCount(0);
    const kept = JSON.parse(await readFile(weft.settings, 'utf8'));
    expect(kept.agents[0]).toMatchObject({ name: 'Second guide', args: ['agent'], env: { COLOUR: 'green' } });

    await page.keyboard.press('Control+n');
    await expect(page.getByRole('radio', { name: /^Second guide/ })).toBeChecked();
    await page.getByRole('textbox', { name: 'First prompt' }).fill('/help');
    await page.keyboard.press('Enter');
    await expect(ui.transcript.getByRole('heading', { name: 'Second guide' })).toBeVisible();
    await ui.idle();
  });

  test('shows why an agent does not start, with its last words', async ({ weft, page, ui }) => {
    await weft.script('Robin', 'refuses.mjs');
    await weft.open(page);
    await ui.openSettings();
    const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Robin/ }) });
    await row.getByRole('button', { name: 'Test' }).click();
    await expect(row).toContainText('Last error output');
    await expect(row).toContainText('the licence file /opt/robin/licence is missing');
    await expect(row.locator('.test-line')).toContainText(/[A-Z].*\./);
  });

  test('shows that a command is not there, and what to do', async ({ weft, page, ui }) => {
    await weft.agent('Nobody', 'no-such-agent', []);
    await weft.open(page);
    await ui.openSettings();
    const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Nobody/ }) });
    await row.getByRole('button', { name: 'Test' }).click();
    await expect(row.locator('.test-line')).toContainText('no-such-agent');
    // A whole line is pasted, as a README has it.
    await page.getByRole('button', { name: 'Add agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add agent' });
    const command = dialog.getByRole('textbox', { name: /^Command/ });
    await command.evaluate((field) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', 'npx no-such-agent --dir "my files"');
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await expect(command).toHaveValue('npx');
    await expect(dialog.getByRole('textbox', { name: /^Arguments/ })).toHaveValue(
      'no-such-agent --dir "my files"',
    );
  });

  test('stops the test of an agent that does not answer', deep, async ({ weft, page, ui }) => {
    await weft.open(page);
    await ui.openSettings();
    await page.getByRole('button', { name: 'Add agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add agent' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Silent');
    await dialog.getByRole('textbox', { name: /^Command/ }).fill(process.execPath);
    await dialog.getByRole('textbox', { name: /^Arguments/ }).fill(`'${scriptPath('silent.mjs')}'`);
    await dialog.getByRole('button', { name: 'Test' }).click();
    await expect(dialog).toContainText('Starting the agent…');
    await dialog.getByRole('button', { name: 'Stop the test' }).click();
    await expect(dialog.getByRole('button', { name: 'Test' })).toBeVisible();
    await expect(dialog).not.toContainText('Starting the agent…');
  });

  test(
    'keeps a variable as a secret, hands it to the agent and shows it nowhere',
    deep,
    async ({ weft, page, ui }) => {
      await weft.call('SetSecretStore', { store: 'file' });
      const { puppet, agent } = await weft.puppet('Robin');
      await weft.open(page);
      await ui.openSettings();
      await page.getByRole('button', { name: 'Actions for Robin' }).click();
      await shownMenu(page).getByRole('menuitem', { name: 'Edit' }).click();
      const dialog = page.getByRole('dialog', { name: 'Edit Robin' });
      await dialog.getByRole('button', { name: 'Add variable' }).click();
      await dialog.getByLabel('Variable 2').fill('ROBIN_KEY');
      await dialog.getByLabel('Value of ROBIN_KEY').fill('nest-key-7788');
      await expect(dialog.getByLabel('ROBIN_KEY is a secret')).toBeChecked();
      await expect(dialog).toContainText('not against programs that run as you');
      await accessible(page, 'the form of an agent', 'all');
      await dialog.getByRole('button', { name: 'Test' }).click();
      await expect(dialog).toContainText('Works, answered in');
      expect(puppet.manners.seenKey).toBe('nest-key-7788');
      puppet.manners.seenKey = '';
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(dialog).toBeHidden();
      const { id: spaceId } = await weft.space(agent.id);
      await weft.call('PrepareAgent', { spaceId, memberId: '' });
      expect(puppet.manners.seenKey).toBe('nest-key-7788');
      expect(await readFile(weft.settings, 'utf8')).not.toContain('nest-key-7788');
      expect(JSON.stringify(await weft.call('ListAgents'))).not.toContain('nest-key-7788');
    },
  );

  test('edits, duplicates and removes an agent, and undoes the removal', deep, async ({ weft, page, ui }) => {
    await weft.script('Robin', 'silent.mjs', { A: '1' });
    await weft.open(page);
    await ui.openSettings();
    const row = (name: string) =>
      page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading', { name: new RegExp(`^${name} ?Custom`) }) });
    await page.getByRole('button', { name: 'Actions for Robin' }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Robin' });
    await expect(dialog.getByLabel('Value of A', { exact: true })).toHaveValue('1');
    await dialog.getByLabel('Variable 1').fill('not a variable');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByRole('alert')).toContainText('not a variable');
    await dialog.getByLabel('Variable 1').fill('A');
    await dialog.getByLabel('Value of A', { exact: true }).fill('2');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Wren');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(row('Wren')).toBeVisible();

    await page.getByRole('button', { name: 'Actions for Wren', exact: true }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Duplicate' }).click();
    await expect(page.getByRole('heading', { name: /^Wren/ })).toHaveCount(2);

    await page.getByRole('button', { name: 'Actions for Wren', exact: true }).click();
    await shownMenu(page).getByRole('menuitem', { name: 'Remove' }).click();
    await expect(row('Wren')).toHaveCount(0);
    await ui.notices.getByRole('button', { name: 'Undo' }).click();
    await expect(row('Wren')).toHaveCount(1);
    const { agents } = JSON.parse(await readFile(weft.settings, 'utf8'));
    expect(agents.map((agent: { env: unknown }) => agent.env)).toContainEqual({ A: '2' });
  });
});
