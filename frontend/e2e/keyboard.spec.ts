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
    const line = ui.group('2 tool calls').first();
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
    await expect(page.getByRole('dialog', { name: 'Add an agent' })).toBeVisible();
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
      '2 tool calls',
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
