import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Screen } from '../../support/screen';
import { Weft } from '../../support/weft';
import { missing, Window } from '../window';

// The dialog of the system has keys of its own, which xdotool gives to it.
const absent = missing('xdotool');
test.skip(absent.length > 0, `The save dialog was not tested: ${absent.join(' and ')} is not installed.`);

test('exports into the file that the save dialog names, and shows it in its folder', async () => {
  const weft = await Weft.create();
  await weft.start();
  const space = await weft.space('guide');
  await weft.call('SendPrompt', { spaceId: space.id, text: 'hello' });
  await expect.poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs).toEqual([]);
  await weft.stop();

  // What stands for the file manager notes the folder.
  const [programs, out, shown] = ['programs', 'out', 'shown'].map((name) => join(weft.folder, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(programs);
  await mkdir(out);
  await writeFile(join(programs, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > '${shown}'\n`);
  await chmod(join(programs, 'xdg-open'), 0o755);

  const window = await Window.open(weft, { PATH: `${programs}:${weft.environment()['PATH']}` });
  try {
    const { page } = window.inspector;
    const ui = new Screen(page);
    await expect(ui.transcript).toContainText('hello');
    await page.keyboard.press('Control+k');
    await expect(ui.palette).toBeVisible();
    await page.keyboard.type('export conversation');
    await expect(
      ui.palette.getByRole('option', { name: 'Export conversation', selected: true }),
    ).toBeVisible();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Export conversation' });
    const status = dialog.getByRole('status');
    await dialog.getByRole('radio', { name: 'Web page', exact: true }).check();
    const save = () => dialog.getByRole('button', { name: 'Export', exact: true }).click();

    const file = join(out, 'talk.html');
    await save();
    window.dialog('Export conversation', ['key', 'ctrl+a'], ['type', file], ['key', 'Return']);
    await expect(status).toContainText(`Saved to ${file}`);
    expect(await readFile(file, 'utf8')).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
    expect(await readdir(out)).toEqual(['talk.html']);
    await ui.picture('window-export');

    await dialog.getByRole('button', { name: 'Show in folder' }).click();
    await expect.poll(() => readFile(shown, 'utf8').catch(() => '')).toBe(out);
    await window.close();
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});
