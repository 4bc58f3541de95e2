import { expect, test } from '@playwright/test';
import { Screen } from '../../support/screen';
import { Versions } from '../../support/versions';
import { Weft } from '../../support/weft';
import { missing, Window } from '../window';

const absent = missing('go');
test.skip(absent.length > 0, 'The window was not tested without its desktop: see window.spec.ts.');

test('restarts in the new version and shows the same space', async () => {
  const versions = await Versions.create();
  const weft = await Weft.create();
  await versions.install('1.0.0');
  await versions.publish('1.1.0', 1_700_000_000, '* Pears are counted, too.');
  weft.program = `${versions.prefix}/bin/weft`;
  weft.extra = versions.environment();
  await weft.start();
  const { puppet, agent } = await weft.actor('Robin');
  await weft.space(agent.id, 'Apples');
  await weft.space(agent.id, 'Pears');
  await weft.stop();
  const window = await Window.open(weft);
  try {
    let { page } = window.inspector;
    let ui = new Screen(page);
    const starts = await window.starts();
    await page
      .getByRole('region', { name: 'Check for new versions of Weft each day?' })
      .getByRole('button', { name: 'Check each day' })
      .click();
    // The older of the two spaces, so that it isn't shown by chance.
    await ui.spaces.getByText('Apples').click();
    await ui.send('How many apples are there?');
    const turn = await puppet.turn();
    turn.say('There are three apples.');
    turn.end();
    await ui.idle();
    await page.evaluate("window.go.main.App.Invoke('CheckForUpdates', '{}')");
    await page.evaluate("window.go.main.App.Invoke('InstallUpdate', '{}')");
    const ready = page.getByRole('region', { name: /Weft 1\.1\.0 is ready/ });
    // The window may be gone before the click returns.
    await ready
      .getByRole('button', { name: 'Restart' })
      .click()
      .catch(() => {});
    await window.restarted(starts + 1);
    ({ page } = window.inspector);
    ui = new Screen(page);
    await expect(page.getByRole('region', { name: 'Weft was updated from 1.0.0 to 1.1.0.' })).toBeVisible();
    await expect(ui.transcript).toContainText('There are three apples.');
    expect(window.visible()).toBe(true);
    await ui.picture('window-updated');
    await window.close();
  } finally {
    await window.dispose();
    await weft.dispose();
    await versions.dispose();
  }
});
