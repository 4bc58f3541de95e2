import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { binary } from '../../support/binary';
import { Screen } from '../../support/screen';
import { Walk } from '../../support/walk';
import { led, openOnDesk } from '../desk';
import { missing } from '../window';

test.skip(
  missing('dbus-daemon', 'xdotool', 'go').length > 0,
  'The window was not tested without its desktop: see window.spec.ts.',
);

// What only the window has, without a mouse: what becomes of Weft when it is closed, and at the start of the system.

test('closing the window and its settings, without a mouse', async () => {
  const { weft, puppet } = await led();
  const { window, clear } = await openOnDesk(weft, { panel: true });
  try {
    const { page } = window.inspector;
    const ui = new Screen(page);
    const walk = new Walk(page, test.info(), window.keyboard);
    const { press, type, expectFocus, until } = walk;
    const command = async (title: string) => {
      await press('Control+k');
      await type(title);
      await press('Enter');
    };
    const settings = () => readFile(weft.settings, 'utf8').catch(() => '');
    await walk.expectFocus(ui.composer);
    await walk.readKeys();

    await walk.station('in the background', 40, async () => {
      await command('Settings: Appearance');
      await ui.inSection('Appearance');
      const part = page.getByRole('region', { name: 'Appearance', exact: true });
      const closes = part.getByRole('group', { name: 'When the window is closed' });
      await until(closes.getByRole('radio', { name: 'Quit' }), 'Tab');
      await press('ArrowRight');
      await expectFocus(closes.getByRole('radio', { name: 'Keep running' }));
      await expect.poll(settings).toContain('"whenClosed": "background"');
      await press('ArrowLeft');
      await expect.poll(settings).not.toContain('"whenClosed": "background"');
      await expectFocus(closes.getByRole('radio', { name: 'Quit' }));
      const start = part.getByRole('checkbox', { name: 'Start Weft when you sign in' });
      const entry = () => readFile(join(weft.home, '.config/autostart/weft.desktop'), 'utf8').catch(() => '');
      await until(start, 'Tab');
      await press('Space');
      await expect.poll(entry).toContain(`--data=${weft.data}`);
      await expect(start).toBeChecked();
      await expectFocus(start);
      await press('Space');
      await expect.poll(entry).toBe('');
      await expect(start).not.toBeChecked();
      await expectFocus(start);
      await press('Escape');
      await press('Escape');
      await expectFocus(ui.composer);
    });

    const dialog = page.getByRole('dialog', { name: '1 agent is working' });
    const keep = dialog.getByRole('button', { name: 'Keep running' });
    const turn = await test.step('an agent begins to work', async () => {
      await type('Water the beds');
      await window.keyboard.press('Enter');
      return puppet.turn();
    });
    await walk.station('closing while an agent works', 26, async () => {
      turn.say('One bed is wet.');
      await expect(ui.text('One bed is wet.')).toBeVisible();
      await command('Quit Weft');
      await expectFocus(keep);
      await walk.picture('closing');
      await press('Tab');
      await until(dialog.getByRole('checkbox', { name: /^Always/ }), 'Tab');
      await press('Space');
      await press('Space');
      await until(dialog.getByRole('button', { name: 'Cancel' }), 'Tab');
      await press('Enter');
      await expect(dialog).toBeHidden();
      await expectFocus(ui.composer);
      await command('Quit Weft');
      await expectFocus(keep);
      await press('Escape');
      await expect(dialog).toBeHidden();
      await expectFocus(ui.composer);
      // The button of the window leads there, too.
      await window.pressClose();
      await expectFocus(keep);
      await window.keyboard.press('Enter');
      await expect.poll(() => window.visible()).toBe(false);
      turn.say('All are wet.');
      turn.end();
      const started = spawnSync(binary(), ['--data', weft.data, '--settings', weft.settings], {
        ...{ cwd: weft.project, env: weft.environment(), encoding: 'utf8' },
      });
      expect(started.stderr).toBe('');
      await expect.poll(() => window.visible()).toBe(true);
      await ui.idle();
      // Nothing on this screen gives the window its keyboard back, so that the next key does.
      await press('Control+k');
      await press('Escape');
      await expectFocus(ui.composer);
    });
    await walk.done();

    await press('Control+k');
    await type('Quit Weft');
    await window.keyboard.press('Enter');
    await window.ended();
  } finally {
    await clear();
  }
});
