import { readFile, writeFile } from 'node:fs/promises';
import type { Download, Page } from '@playwright/test';
import { accessible } from './support/axe';
import { shownMenu } from './support/menu';
import { allow } from './support/requests';
import { expect, test } from './support/test';
import { themes } from './support/themes';

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Export conversation' });

async function textOf(download: Download): Promise<string> {
  return await readFile(await download.path(), 'utf8');
}

/** Exports in a format and returns the file. */
async function exported(page: Page, format: string): Promise<Download> {
  const dialog = dialogOf(page);
  await dialog.getByRole('radio', { name: format, exact: true }).check();
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  const file = await download;
  await expect(dialog.getByRole('status')).toContainText('Downloaded');
  return file;
}

test.describe('exporting a conversation', () => {
  test('saves it from the menu of its space, in each format', async ({ weft, page, ui }, info) => {
    await weft.space('guide');
    await weft.open(page);
    await ui.send('make a CONTRIBUTING file');
    await allow(ui.permissions);
    await ui.idle();
    const row = ui.spaces.getByRole('listitem').first();
    await row.hover();
    await row
      .getByRole('button', { name: /^More actions|^Actions|menu/i })
      .first()
      .click();
    await shownMenu(page).getByRole('menuitem', { name: 'Export' }).click();
    const dialog = dialogOf(page);
    await expect(dialog).toBeVisible();
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme });
      await accessible(page, `export, ${colorScheme}`);
      await ui.picture(`${colorScheme}-export`);
    }
    const markdown = await exported(page, 'Markdown');
    expect(markdown.suggestedFilename()).toBe('make a CONTRIBUTING file.md');
    const text = await textOf(markdown);
    expect(text).toContain('# make a CONTRIBUTING file');
    expect(text).toContain('<details><summary>✓ Create CONTRIBUTING.md');
    expect(text).toContain('```diff\n');
    const events = (await textOf(await exported(page, 'Events'))).trim().split('\n');
    const types = events.map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types.slice(0, 2)).toEqual(['export', 'space']);
    expect(types).toContain('tool_call_end');
    const json = await exported(page, 'JSON');
    const html = await textOf(await exported(page, 'Web page'));
    await ui.picture('export-done');

    // The page needs nothing of Weft: it opens from the disk, without a network.
    const path = info.outputPath('page.html');
    await writeFile(path, html);
    const context = await page.context().browser()?.newContext({ offline: true });
    if (context === undefined) throw new Error('no browser');
    const other = await context.newPage();
    const asked: string[] = [];
    const said: string[] = [];
    other.on('request', (request) => asked.push(request.url()));
    other.on('console', (message) => said.push(message.text()));
    await other.goto(`file://${path}`);
    expect(asked.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([]);
    expect(said).toEqual([]);
    expect(await other.locator('script').count()).toBe(0);
    const call = other.locator('details.call', { hasText: 'Create CONTRIBUTING.md' });
    const group = other.locator('details.group', { has: call });
    await expect(call.locator('.diff')).toBeHidden();
    await group.locator('> summary').click();
    await call.locator('> summary').press('Enter');
    await expect(call.locator('.diff .a').first()).toBeVisible();
    for (const colorScheme of themes) {
      for (const width of [390, 1280]) {
        await other.setViewportSize({ width, height: 800 });
        await other.emulateMedia({ colorScheme });
        await accessible(other, `exported page, ${colorScheme}, ${width}`);
      }
    }
    await context.close();

    // What was exported as JSON is a space again, and the same when it is exported once more.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('import conv');
    await page.keyboard.press('Enter');
    const imports = page.getByRole('dialog', { name: 'Import conversations' });
    const picked = page.waitForEvent('filechooser');
    await imports.getByRole('button', { name: 'Choose files…' }).click();
    await (await picked).setFiles(await json.path());
    await expect(imports.getByRole('status')).toContainText('1 conversation imported');
    await imports.getByRole('button', { name: /^make a CONTRIBUTING file/ }).click();
    await expect(ui.transcript).toContainText('Done: CONTRIBUTING.md is on disk');
    await expect(ui.spaces.getByRole('listitem')).toHaveCount(2);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('export conversation');
    await page.keyboard.press('Enter');
    const again = await exported(page, 'JSON');
    expect(await textOf(again)).toBe(await textOf(json));
  });

  test('exports one message, and copies as Markdown', async ({ weft, page, ui }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await weft.space('guide');
    await weft.open(page);
    await ui.send('compose an opera about plums');
    await ui.idle();
    await page.getByRole('button', { name: 'Export message' }).first().focus();
    await page.keyboard.press('Enter');
    const dialog = dialogOf(page);
    await expect(dialog.getByRole('radio', { name: 'Only this message' })).toBeChecked();
    const one = await textOf(await exported(page, 'Markdown'));
    expect(one).toContain('> compose an opera about plums');
    expect(one).not.toContain('not a language model');
    await dialog.getByRole('radio', { name: 'Whole conversation' }).check();
    await dialog.getByRole('button', { name: 'Copy to clipboard' }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText('Copied as Markdown')).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('not a language model');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('copy conversation');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Copied as Markdown').first()).toBeVisible();
  });
});
