import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { binary } from './support/binary';
import { expect, test } from './support/test';

const run = promisify(execFile);

test('weft open begins a space in a folder, in the pages that are open and in a new one', async ({
  weft,
  page,
  ui,
}) => {
  const space = await weft.space('guide', 'Apples');
  const cellar = join(weft.home, 'cellar & 苹果 100%');
  await mkdir(cellar);
  const open = (...args: string[]) =>
    run(binary(), ['open', ...args, '--data', weft.data, '--settings', weft.settings], {
      env: weft.environment(),
      cwd: weft.home,
    });
  await weft.open(page);
  await expect(page.getByRole('heading', { name: 'Apples' })).toBeVisible();

  const { stdout } = await open('cellar & 苹果 100%');
  const form = page.getByRole('heading', { name: 'New space' });
  await expect(form).toBeVisible();
  await expect(page.getByTitle(cellar).first()).toBeVisible();
  await ui.picture('open-folder');
  // What was chosen before, and kept, gives way; so does the last folder that was asked for.
  await open('orchard');
  await expect(page.getByTitle(weft.project).first()).toBeVisible();

  await ui.spaces.locator('.space-button').filter({ hasText: 'Apples' }).click();
  await expect(page).toHaveURL(new RegExp(`#/space/${space.id}$`));
  const address = /http:\S+/.exec(stdout)?.[0] ?? '';
  await page.goto(address);
  await expect(form).toBeVisible();
  await expect(page.getByTitle(cellar).first()).toBeVisible();
  await page.keyboard.type('What is in here?');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'What is in here?' })).toBeVisible();
  const made = (await weft.call('ListSpaces', { archived: false, query: '', until: 0 })) ?? [];
  expect(made.find(({ id }) => id !== space.id)?.folder).toBe(cellar);

  await expect(open('nowhere')).rejects.toThrow(/There is no folder/);
});
