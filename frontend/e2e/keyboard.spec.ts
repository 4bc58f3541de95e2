import { answerByKey } from './support/requests';
import { expect, test } from './support/test';

test.use({ reducedMotion: 'no-preference' });

test.describe('the command palette', () => {
  test('finds actions and spaces, and does them', async ({ weft, page, ui }) => {
    await weft.space('guide', 'Apples');
    await weft.space('guide', 'Pears');
    await weft.open(page);
    await page.keyboard.press('Control+k');
    const field = ui.palette.getByPlaceholder('Type a command or space name');
    await expect(field).toBeFocused();
    await field.fill('apples');
    await page.keyboard.press('Enter');
    await expect(ui.palette).toBeHidden();
    await expect(page.getByRole('heading', { name: 'Apples' })).toBeVisible();

    await ui.command('Dark theme');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await ui.command('Light theme');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
    await ui.command('Compact density');
    await expect(page.locator('html')).toHaveAttribute('data-density', 'compact');
    await ui.command('Show or hide the sidebar');
    await expect(ui.sidebar).toBeHidden();
    await ui.command('Show or hide the sidebar');
    await expect(ui.sidebar).toBeVisible();
    await ui.command('Protocol log');
    await expect(ui.log).toBeVisible();
    await ui.command('Archive this space');
    await expect(ui.spaces.getByRole('listitem')).toHaveCount(1);
    await expect(ui.spaces.getByRole('listitem')).toHaveText([/Pears/]);
    await ui.command('New space');
    await expect(page.getByRole('heading', { name: 'New space', level: 1 })).toBeVisible();
    await ui.command('Settings');
    await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();

    await page.keyboard.press('Control+k');
    await field.fill('no such thing');
    await expect(ui.palette).toContainText('No commands found.');
    await page.keyboard.press('Escape');
    await expect(ui.palette).toBeHidden();
  });

  test('runs what is found, wherever the pointer rests and however far the list was scrolled', async ({
    weft,
    page,
    ui,
  }) => {
    for (const title of ['Apples', 'Pears']) await weft.space('guide', title);
    await weft.open(page);
    await page.mouse.move(640, 300);
    await page.keyboard.press('Control+k');
    const chosen = ui.palette.getByRole('option', { selected: true });
    const field = ui.palette.getByPlaceholder('Type a command or space name');
    await expect(field).toBeFocused();
    const first = await chosen.textContent();
    // What comes under it is reported as a move, though it is none.
    for (const type of ['pointermove', 'mousemove'])
      await ui.palette
        .getByRole('option')
        .nth(3)
        .dispatchEvent(type, { screenX: 640, screenY: 300, clientX: 640, clientY: 300 });
    await page.mouse.move(640, 300);
    await expect(chosen).toHaveText(first ?? '');
    // As a wheel does, but at once.
    const toEnd = () =>
      ui.palette.getByRole('listbox').evaluate((list) => {
        list.scrollTop = list.scrollHeight;
      });
    await page.mouse.move(640, 310);
    await toEnd();
    await page.keyboard.press('End');
    await field.pressSequentially('s');
    await expect(chosen).toBeInViewport({ ratio: 1 });
    await page.mouse.move(640, 320);
    await toEnd();
    await field.pressSequentially('e');
    const best = ui.palette.getByRole('option').first();
    await expect(best).toHaveAttribute('aria-selected', 'true');
    await expect(best).toBeInViewport({ ratio: 1 });
  });

  test('offers the spaces that the user comes from first, before anything is typed', async ({
    weft,
    page,
    ui,
  }) => {
    for (const title of ['Apples', 'Pears', 'Plums']) await weft.space('guide', title);
    await weft.open(page);
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
    for (const title of ['Apples', 'Pears']) {
      await ui.spaces.getByRole('button', { name: title }).first().click();
      await expect(heading(title)).toBeVisible();
    }
    await page.keyboard.press('Control+k');
    const options = ui.palette.getByRole('option');
    await expect(options.first()).toContainText('Apples');
    await expect(options.nth(1)).toContainText('Plums');
    await expect(ui.palette.getByRole('option', { name: 'Pears' })).toHaveCount(1);
    await expect(options.first()).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    await expect(heading('Apples')).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Enter');
    await expect(heading('Pears')).toBeVisible();
  });

  test('does what is chosen at once: what is typed right after it is for that', async ({
    weft,
    page,
    ui,
  }) => {
    for (const title of ['Apples', 'Pears']) await weft.space('guide', title);
    await weft.open(page);
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
    const choose = async (title: string) => {
      await page.keyboard.press('Control+k');
      const field = ui.palette.getByPlaceholder('Type a command or space name');
      await expect(field).toBeFocused();
      await page.keyboard.insertText(title);
      await expect(ui.palette.getByRole('option', { selected: true })).toContainText(title);
    };
    /** Chooses and types without anything in between; returns what is in the part of the window that has the focus then. */
    const chooseAndType = (text: string) =>
      page.evaluate((typed) => {
        const key = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
        document.activeElement?.dispatchEvent(key);
        const has = document.activeElement?.closest('.side, main')?.textContent;
        if (typed !== '') document.execCommand('insertText', false, typed);
        return has;
      }, text);
    for (const [from, title, text] of [
      ['composer', 'Apples', 'to the apples'],
      ['composer', 'Pears', 'to the pears'],
      ['sidebar', 'Apples', ' and more'],
      ['sidebar', 'Apples', ' and more'],
    ] as const) {
      if (from === 'sidebar') await ui.sidebar.getByRole('button', { name: 'Settings' }).focus();
      await choose(title);
      await chooseAndType(text);
      await expect(heading(title)).toBeVisible();
      await expect(ui.composer).toBeFocused();
    }
    await expect(ui.composer).toHaveValue('to the apples and more and more');
    await ui.spaces.getByRole('button', { name: /Pears/ }).first().click();
    await expect(ui.composer).toHaveValue('to the pears');
    // What is chosen acts on what had the focus before, which has it again.
    await ui.composer.focus();
    await choose('Dark theme');
    await chooseAndType('!');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    await expect(ui.composer).toHaveValue('to the pears!');
    // What opens a panel leads into it, though the palette is still seen.
    await choose('Branches');
    expect(await chooseAndType('')).toMatch(/^Branches/);
    await expect(ui.composer).toHaveValue('to the pears!');
  });

  test('leaves the keys while it fades', async ({ weft, page, ui }) => {
    await weft.space('guide', 'Apples');
    await weft.open(page);
    await ui.composer.focus();
    for (const typed of ['early', 'every']) {
      await page.keyboard.press('Control+k');
      await expect(ui.palette.getByPlaceholder('Type a command or space name')).toBeFocused();
      await page.evaluate(() => {
        const key = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true });
        document.activeElement?.dispatchEvent(key);
      });
      await page.keyboard.insertText(typed);
    }
    await expect(ui.composer).toHaveValue('earlyevery');
  });
});

test.describe('the keyboard', () => {
  test('has a map', async ({ weft, page, ui }) => {
    await weft.space('guide', 'Apples');
    await weft.open(page);
    await ui.send('/help');
    await ui.idle();
    await expect(ui.composer).toBeFocused();
    // In a text a question mark is a question mark.
    await page.keyboard.press('?');
    await expect(ui.composer).toHaveValue('?');
    await ui.sidebar.getByRole('button', { name: 'Settings' }).focus();
    await page.keyboard.press('?');
    const map = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    const names = [
      'Command palette',
      'New space',
      'Search spaces',
      'Choose an option of the focused request',
      'Next message',
    ];
    for (const name of names) {
      await expect(map).toContainText(name);
    }
    await page.keyboard.press('Escape');
    await expect(map).toBeHidden();
  });

  test('changes the size of the text', async ({ weft, page }) => {
    await weft.space('guide', 'Apples');
    await weft.open(page);
    const size = () =>
      page
        .locator('.composer-field')
        .evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    const before = await size();
    await page.keyboard.press('Control+=');
    await expect.poll(size).toBeGreaterThan(before);
    await page.keyboard.press('Control+0');
    await expect.poll(size).toBe(before);
    await page.keyboard.press('Control+-');
    await expect.poll(size).toBeLessThan(before);
  });

  test('is enough for everything: begin, talk, answer, look, leave', async ({ weft, page, ui }) => {
    await weft.open(page);
    await expect(page.getByRole('textbox', { name: 'First prompt' })).toBeFocused();
    // To the folder and into it.
    await tabTo(page, () => page.getByRole('button', { name: 'Change' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Choose a folder' });
    await expect(dialog).toBeVisible();
    await tabTo(page, () => dialog.getByRole('button', { name: 'orchard' }));
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('textbox', { name: 'Path' })).toHaveValue(weft.project);
    await tabTo(page, () => dialog.getByRole('button', { name: 'Choose this folder' }));
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await tabTo(page, () => page.getByRole('textbox', { name: 'First prompt' }));
    await page.keyboard.type('make a CONTRIBUTING file');
    await page.keyboard.press('Enter');
    await expect(ui.permissions).toBeVisible();
    await answerByKey(page, ui.permissions, '3');
    await ui.idle();
    // Into the transcript: open a group, a call in it, and close both.
    const line = ui.group(/./).first();
    await tabTo(page, () => line, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(line).toHaveAttribute('aria-expanded', 'true');
    await expect(line).toBeFocused();
    await page.keyboard.press('Tab');
    const call = ui.transcript.locator('.tool').filter({ hasText: 'Read README.md' });
    await expect(call.locator('.tool-line')).toBeFocused();
    // A file that was seen while it was written is open by itself.
    const details = ui.transcript.locator('.detail');
    const open = await details.count();
    await page.keyboard.press('Space');
    await expect(call.locator('.detail')).toBeVisible();
    await expect(details).toHaveCount(open + 1);
    await page.keyboard.press('Space');
    await expect(call.locator('.detail')).toHaveCount(0);
    await expect(details).toHaveCount(open);
    // Back to writing, and to the settings.
    await page.keyboard.press('/');
    await expect(ui.composer).toBeFocused();
    await page.keyboard.press('Control+,');
    await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
    await tabTo(page, () => page.getByRole('button', { name: 'Add agent' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Add agent' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Add agent' })).toBeFocused();
  });

  test('is never caught: Tab goes round the whole window', async ({ weft, page, ui }) => {
    const { puppet } = await weft.puppet();
    await weft.open(page);
    await ui.send('go');
    const turn = await puppet.turn();
    turn.did({ toolCallId: '1', title: 'Read', kind: 'read' });
    turn.did({ toolCallId: '2', title: 'Search', kind: 'search' });
    turn.say('Done. See [the site](https://example.test/).');
    turn.end();
    await ui.idle();
    const seen = new Set<string>();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      seen.add(
        await page.evaluate(() => {
          const { activeElement } = document;
          const style = activeElement === null ? null : getComputedStyle(activeElement);
          const ring = style !== null && (style.outlineStyle !== 'none' || style.boxShadow !== 'none');
          const name = activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? '';
          return `${activeElement?.tagName} ${name.slice(0, 40)} ${ring ? '' : 'NO RING'}`;
        }),
      );
    }
    const all = [...seen].join('\n');
    for (const part of [
      'New space',
      'Search spaces',
      'Settings',
      'Conversation',
      'Read 1 file, searched once',
      'Message Robin',
      'More about this space',
    ]) {
      expect(all).toContain(part);
    }
    // A field draws its ring around itself and its buttons, an edge becomes a line.
    const without = [...seen].filter((one) => one.endsWith('NO RING'));
    expect(without.filter((one) => !/^(BODY|TEXTAREA|INPUT|DIV (?:Sidebar|Panel) width)/.test(one))).toEqual(
      [],
    );
  });
});

type Locate = () => import('@playwright/test').Locator;

/** Presses a key until the focus is where it is wanted, as a user would. */
async function tabTo(page: import('@playwright/test').Page, target: Locate, key = 'Tab'): Promise<void> {
  await expect(target()).toBeAttached();
  for (let i = 0; i < 80; i++) {
    if (await target().evaluate((element) => element.contains(document.activeElement))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${target()}`);
}
