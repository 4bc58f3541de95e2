import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { expect, test } from './support/test';
import { Versions } from './support/versions';
import { Weft } from './support/weft';

const execute = promisify(execFile);

test(
  'a version is found, taken back when its start fails, and installed when no turn is running',
  deep,
  async ({ page, ui }) => {
    // Two versions of Weft are built.
    test.setTimeout(600_000);
    const versions = await Versions.create();
    const weft = await Weft.create();
    try {
      await versions.install('1.0.0');
      await versions.publish(
        '1.1.0',
        1_700_000_000,
        '* **Pears** are counted, too. <img src=x onerror=alert(1)>',
      );
      weft.program = join(versions.prefix, 'bin/weft');
      weft.extra = versions.environment();
      await weft.start();
      const { puppet } = await weft.puppet();
      await weft.open(page);

      // Asked once, and nothing is asked of the server before.
      const notice = page.getByRole('region', { name: 'Check for new versions of Weft each day?' });
      await notice.getByRole('button', { name: 'Check each day' }).click();
      await expect(notice).toHaveCount(0);
      await page.goto(`${weft.url}/#settings/updates`);
      const section = page.getByRole('region', { name: 'Updates' });
      await expect(section.getByRole('checkbox', { name: 'Check for updates each day' })).toBeChecked();
      await section.getByRole('button', { name: 'Check now' }).click();
      await expect(section).toContainText('Weft 1.1.0 is available. You have 1.0.0.');
      await expect(section.locator('.update-notes strong')).toHaveText('Pears');
      await expect(section.locator('.update-notes img')).toHaveCount(0);
      await accessible(page, 'updates', 'all');
      await ui.picture('updates-available');
      await section.getByRole('button', { name: /^Download and install/ }).click();
      await expect(section).toContainText('Weft 1.1.0 is ready. Restart to finish the update.');

      // Its first start fails, so the next one goes back.
      await weft.stop();
      const data = ['--data', join(versions.folder, 'notes.md'), '--settings', weft.settings];
      const env = weft.environment();
      await expect(execute(weft.program, ['serve', ...data], { env })).rejects.toThrow();
      expect((await execute(weft.program, ['--version'], { env })).stdout).toBe('weft 1.1.0\n');
      await weft.start();
      await weft.open(page);
      const back =
        "Weft 1.1.0 didn't start, so Weft went back to 1.0.0. Your conversations are as they were.";
      await expect(page.getByRole('region', { name: back })).toBeVisible();
      await ui.picture('updates-back');
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await weft.call('InstallUpdate');

      // A turn is running: it waits.
      await ui.send('Count the pears');
      const turn = await puppet.turn();
      await page
        .getByRole('region', { name: /Weft 1\.1\.0 is ready/ })
        .getByRole('button', { name: 'Restart' })
        .click();
      await expect(
        page.getByRole('region', { name: 'Weft restarts when the agents have finished their turns.' }),
      ).toBeVisible();
      await ui.picture('updates-waiting');
      expect((await weft.call('Bootstrap'))?.version).toBe('1.0.0');
      turn.say('Three pears.');
      turn.end();

      // The same page, with the same session, is that of the new version.
      await expect(page.getByRole('region', { name: 'Weft was updated from 1.0.0 to 1.1.0.' })).toBeVisible();
      await expect(ui.transcript).toContainText('Three pears.');
      expect((await weft.call('Bootstrap'))?.version).toBe('1.1.0');
      await ui.picture('updates-done');
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await expect.poll(async () => (await weft.call('Updates'))?.outcome).toBeNull();
    } finally {
      await weft.dispose();
      await versions.dispose();
    }
  },
);
