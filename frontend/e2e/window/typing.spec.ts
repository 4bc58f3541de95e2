import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Locator, test } from '@playwright/test';
import { Screen } from '../support/screen';
import { Weft } from '../support/weft';
import { colorsWithin } from './picture';
import { missing, Window } from './window';

// What a user types, in the real window: with the keyboard and the pointer of its screen, which rest where they are.

test.skip(missing().length > 0, 'The window was not tested without its desktop: see window.spec.ts.');

test('keys, the pointer at rest, undo and a first prompt', async () => {
  const weft = await Weft.create();
  await weft.start();
  const { id } = await weft.agent('Broken', '/no/such/command', []);
  for (const title of ['Pears', 'Quinces', 'Apples']) await weft.space('guide', title);
  await weft.space(id, 'Broken');
  await weft.stop();
  const window = await Window.open(weft);
  try {
    const { page } = window.inspector;
    const ui = new Screen(page);
    const { keyboard } = window;
    await expect(ui.composer).toBeVisible();
    const { y: top } = window.place();

    await test.step('the first prompt of an empty space is on the screen by itself', async () => {
      for (const title of ['Apples', 'Quinces', 'Pears']) {
        await ui.spaces.getByText(title).first().click();
        await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
        await ui.composer.focus();
        await keyboard.type('hello');
        await keyboard.press('Enter');
        // Nobody looks through the inspector meanwhile: it has the page drawn.
        await new Promise((done) => setTimeout(done, 3000));
        const picture = await readFile(join(weft.folder, 'Xvfb_screen0'));
        const bubble = ui.transcript.getByText('hello', { exact: true });
        const box = await bubble.boundingBox();
        if (box === null) throw new Error('the prompt has no place');
        expect(colorsWithin(picture, { ...box, y: box.y + top }), `the prompt in ${title}`).toBeGreaterThan(
          4,
        );
      }
    });

    await test.step('so is what opens by key, and an error that comes at once', async () => {
      const drawn = async (part: Locator, what: string) => {
        const picture = await readFile(join(weft.folder, 'Xvfb_screen0'));
        const box = await part.boundingBox();
        if (box === null) throw new Error(`${what} has no place`);
        expect(colorsWithin(picture, { ...box, y: box.y + top }), `${what} is drawn`).toBeGreaterThan(4);
      };
      const rested = () => new Promise((done) => setTimeout(done, 3000));
      await keyboard.press('Control+k');
      await rested();
      await drawn(ui.palette.getByRole('option').first(), 'the palette');
      await keyboard.press('Escape');
      await ui.spaces.getByText('Broken').first().click();
      await expect(page.getByRole('heading', { name: 'Broken', level: 1 })).toBeVisible();
      await ui.composer.focus();
      await keyboard.type('hello');
      await keyboard.press('Enter');
      await rested();
      await drawn(page.getByText('hello', { exact: true }).last(), 'the prompt');
      await drawn(ui.error.getByText(/doesn't exist/), 'the error');
    });

    await test.step('the palette runs what is found, not what the pointer rests on', async () => {
      await ui.spaces.getByText('Quinces').first().click();
      await expect(page.getByRole('heading', { name: 'Quinces', level: 1 })).toBeVisible();
      for (let y = 200; y < 520; y += 37) {
        window.point(640, y + top);
        await keyboard.press('Control+k');
        await expect(ui.palette.locator('input')).toBeFocused();
        await keyboard.type('pears');
        const chosen = ui.palette.getByRole('option', { selected: true });
        await expect(chosen).toContainText('Pears');
        await page.waitForTimeout(300);
        await expect(chosen, `the pointer rests at ${y}`).toContainText('Pears');
        await keyboard.press('Escape');
        await expect(ui.palette).toBeHidden();
      }
    });

    await test.step('undo takes back a mention, and no more', async () => {
      await ui.composer.focus();
      await keyboard.type('See @appl');
      await expect(page.getByRole('listbox').getByRole('option').first()).toContainText('apples.js');
      await keyboard.press('Enter');
      await expect(ui.composer).toHaveValue('See @src/apples.js ');
      await keyboard.press('Control+z');
      await expect(ui.composer).toHaveValue('See @appl');
      await keyboard.press('Control+Shift+z');
      await expect(ui.composer).toHaveValue('See @src/apples.js ');
      await keyboard.press('Enter');
      await expect(ui.composer).toHaveValue('');
      await keyboard.press('Control+z');
      await expect(ui.composer).toHaveValue('See @src/apples.js ');
      await ui.idle();
    });

    await test.step('shortcuts work on a Russian keyboard', async () => {
      window.layout('ru');
      await keyboard.press('Control+Cyrillic_el');
      await expect(ui.palette).toBeVisible();
    });
    await window.close();
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});
