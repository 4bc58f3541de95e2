import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accessible } from './support/axe';
import { binary } from './support/binary';
import { expect, test } from './support/test';

const run = promisify(execFile);

test('a backup is made in the settings, and restored elsewhere by its command', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Remember the pears');
  (await puppet.turn()).end();
  await ui.idle();
  await page.goto(`${new URL(page.url()).origin}/#settings/backups`);
  const section = page.getByRole('region', { name: 'Backups' });
  await expect(section).toContainText('No backups yet.');
  await section.getByRole('button', { name: 'Back up now' }).click();
  await expect(section.getByRole('listitem')).toHaveCount(1);
  await accessible(page, 'backups', 'all');
  await ui.picture('backups');
  await section.getByRole('checkbox', { name: /Back up each day/ }).click();
  await expect.poll(async () => (await weft.call('Backups'))?.daily).toBe(false);

  const [kept] = (await weft.call('Backups'))?.backups ?? [];
  expect(kept?.path).toBeDefined();
  const folder = await mkdtemp(join(tmpdir(), 'weft-restore-'));
  const args = [
    'restore',
    kept?.path ?? '',
    '--data',
    join(folder, 'data'),
    '--settings',
    join(folder, 's.json'),
  ];
  const { stdout } = await run(binary(), args);
  expect(stdout).toContain('Restored 1 conversation');
  await expect(run(binary(), ['restore', kept?.path ?? '', '--data', weft.data])).rejects.toThrow(/is using/);
  await rm(folder, { recursive: true });
});
