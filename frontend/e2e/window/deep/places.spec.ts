import { spawnSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { linkTo } from '../../../src/state/link';
import { binary } from '../../support/binary';
import { chunk } from '../../support/puppet';
import { Screen } from '../../support/screen';
import { Weft } from '../../support/weft';
import { missing, Window } from '../window';

test.skip(missing().length > 0, 'The window was not tested: see window.spec.ts.');

test('a link opens its place in the real window, where matches are marked', async () => {
  const weft = await Weft.create();
  await weft.start();
  const { puppet, space } = await weft.puppet();
  await weft.call('SendPrompt', { spaceId: space.id, text: 'Count' });
  const turn = await puppet.turn();
  turn.updates(Array.from({ length: 600 }, (_, i) => chunk(`Line ${i} of pears.\n\n`)));
  turn.did({ toolCallId: 'a', title: 'Read the map', kind: 'read' });
  turn.updates(Array.from({ length: 600 }, (_, i) => chunk(`Further line ${i} of **pe**ars.\n\n`)));
  turn.end();
  await expect.poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs).toEqual([]);
  const place = await weft.placeOf(space, 'the map');
  await weft.stop();
  const window = await Window.open(weft);
  try {
    const { page } = window.inspector;
    const ui = new Screen(page);
    await expect(ui.text('Further line 599')).toBeVisible();
    const open = (link: string) =>
      spawnSync(binary(), [link, '--data', weft.data, '--settings', weft.settings], {
        env: weft.environment(),
        encoding: 'utf8',
      });
    expect(open(linkTo(space.id, place))).toMatchObject({ status: 0, stderr: '' });
    await expect(ui.tool('Read the map')).toBeInViewport();
    expect(open('weft://space/none').stderr).toContain("wasn't found");

    await page.keyboard.press('Control+f');
    await expect(page.getByRole('textbox', { name: 'Find in this conversation' })).toBeFocused();
    await page.keyboard.type('line 300 of pe');
    await expect(page.getByRole('search').getByRole('status')).toHaveText('1 of 2'); // bold parts no word
    await page.keyboard.press('Enter');
    await expect(ui.text('Line 300 of pears.')).toBeInViewport();
    await expect
      .poll(() => page.evaluate(() => [...(CSS.highlights.get('find-now') ?? [])].map(String).join()))
      .toBe('Line 300 of pe');
    await ui.picture('window-find');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Alt+ArrowLeft');
    await expect(ui.text('Further line 599')).toBeInViewport();
    await window.close();
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});
