import { expect, test } from '@playwright/test';
import { handIn } from '../../support/handin';
import { Screen } from '../../support/screen';
import { Weft } from '../../support/weft';
import { missing, Window } from '../window';

test.skip(missing().length > 0, 'The window was not tested: see window.spec.ts.');

// What is handed in goes another way in the window than over HTTP: through what serves its pages.
test('files are mentioned, attached, made smaller and shown in the real window', async () => {
  const weft = await Weft.create();
  await weft.start();
  const { puppet } = await weft.puppet('Robin', {
    initialize: { agentCapabilities: { promptCapabilities: { image: true, embeddedContext: true } } },
  });
  await weft.stop();
  const window = await Window.open(weft);
  try {
    const { page } = window.inspector;
    const ui = new Screen(page);
    const attached = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem');
    await ui.composer.click();
    await page.keyboard.type('Look at @apples');
    await expect(page.getByRole('option').first()).toContainText('apples.js');
    await page.keyboard.press('Enter');
    await handIn(page, 'drop', [
      { name: 'apple.png', type: 'image/png', draw: { width: 320, height: 200 } },
      { name: 'far.txt', type: 'text/plain', text: 'far\n' },
      { name: 'noise.png', type: 'image/png', draw: { width: 2000, height: 2000, noise: true } },
    ]);
    await attached.nth(2).getByRole('button', { name: 'Make smaller' }).click();
    for (const n of [0, 1, 2]) await expect(attached.nth(n)).toHaveAttribute('data-status', 'ready');
    await ui.picture('window-attachments');
    await ui.composer.press('Enter');
    const turn = await puppet.turn();
    expect(turn.blocks.map(({ type }) => type)).toEqual(['text', 'resource', 'image', 'resource', 'image']);
    expect(turn.blocks[2]).toMatchObject({ mimeType: 'image/png', data: /^iVBOR/ });
    expect(turn.blocks[3]).toMatchObject({ resource: { text: 'far\n' } });
    expect(turn.blocks[4]).toMatchObject({ mimeType: 'image/jpeg' });
    turn.end();
    const image = ui.transcript.getByRole('img', { name: 'apple.png' });
    await expect(image).toBeVisible();
    await expect.poll(() => image.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(320);
    await ui.picture('window-along');
    await page.evaluate(() => {
      // A press on a text takes the focus from the field.
      (document.activeElement as HTMLElement).blur();
      const words = document.querySelector('.prompt-text');
      if (words !== null) document.getSelection()?.selectAllChildren(words);
    });
    await page.getByRole('button', { name: /^Quote/ }).click();
    await expect(ui.composer).toHaveValue('> You:\n>\n> Look at @src/apples.js\n\n');
    await window.close();
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});
