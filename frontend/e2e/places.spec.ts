import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { picture } from './support/picture';
import { diff, said, type Turn, yesOrNo } from './support/puppet';
import { armed } from './support/requests';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

// Paths open: a click shows the file at its line, with Ctrl it opens in the editor, the middle button copies it.

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const panel = (page: Page) => page.getByRole('region', { name: /^Preview of / });
const marked = (page: Page) => panel(page).locator('.follow-line[data-at]');
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** Files of the space, and an editor that writes what it is given into a file. */
async function prepare(weft: Weft) {
  const at = (name: string) => join(weft.project, name);
  await mkdir(at('lib'), { recursive: true });
  const text = (n: number) => Array.from({ length: n }, (_, i) => `const a${i + 1} = ${i + 1};`).join('\n');
  await writeFile(at('lib/a.js'), `${text(400)}\n`);
  await writeFile(at('lib/ä b.js'), `${text(40)}\n`);
  await writeFile(at('lib/large.js'), `${text(60_000)}\n`);
  await writeFile(at('lib/data.bin'), Buffer.from([1, 0, 2, 3]));
  await writeFile(at('lib/empty.js'), '');
  await writeFile(at('lib/shot.png'), Buffer.from(picture(480, 270).split(',')[1] ?? '', 'base64'));
  await symlink('/etc/passwd', at('lib/out'));
  const editor = join(weft.folder, 'my editor');
  const given = join(weft.folder, 'given');
  await writeFile(editor, `#!/bin/sh\nprintf '%s\\n' "$@" >>'${given}'\n`);
  await chmod(editor, 0o700);
  await weft.call('SaveEditor', { use: 'custom', command: `"${editor}" --at {line}:{column} {path}` });
  return {
    at,
    /** What the editor was given, call by call. */
    opened: async () => {
      const lines = (await readFile(given, 'utf8').catch(() => '')).trim().split('\n');
      return lines.flatMap((line, i) => (line === '--at' ? [`${lines[i + 2]}:${lines[i + 1]}`] : []));
    },
  };
}

function read(turn: Turn, toolCallId: string, path: string, line: number, title = `Read ${path}`) {
  turn.did({
    toolCallId,
    title,
    kind: 'read',
    rawInput: { path },
    locations: [{ path, line }],
    content: [said('text')],
  });
}

for (const theme of themes)
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });

    test('a path is previewed, opened in the editor and copied', async ({ weft, page, ui }) => {
      const { at, opened } = await prepare(weft);
      const { puppet } = await weft.puppet();
      await weft.open(page);
      await ui.send('go');
      const turn = await puppet.turn();
      read(turn, '1', at('lib/a.js'), 200, 'Read lib/a.js');
      turn.say(
        'See `lib/a.js:30:7`, `lib/none.js:3`, `count` and [the other one](lib/ä%20b.js#L12).\n\n```js\nlib/a.js\n```\n',
      );
      turn.end();
      await ui.idle();

      // In an answer only what exists is a link.
      const links = ui.transcript.locator('.md').getByRole('link');
      await expect(links).toHaveText(['lib/a.js:30:7', 'the other one']);
      await ui.picture(`${theme}-places-prose`);
      await links.first().click();
      await expect(marked(page)).toHaveText('30const a30 = 30;');
      await expect(marked(page)).toBeInViewport();
      await expect(marked(page).locator('.tok-keyword')).toHaveText('const');
      await accessible(page, `the preview of a file, ${theme}`);
      await ui.picture(`${theme}-places-preview`);

      // Escape closes it, and the focus is where it was.
      await page.keyboard.press('Escape');
      await expect(panel(page)).toHaveCount(0);
      await expect(links.first()).toBeFocused();

      // By key: Enter shows it, with Ctrl it opens.
      await page.keyboard.press('Tab');
      await expect(links.last()).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(marked(page)).toHaveText('12const a12 = 12;');
      await page.keyboard.press('Escape');
      await expect(panel(page)).toHaveCount(0);
      await expect(links.last()).toBeFocused();
      await page.keyboard.press('Control+Enter');
      await expect.poll(opened).toEqual([`${at('lib/ä b.js')}:12:1`]);
      await links.first().click({ modifiers: ['Control'] });
      await expect.poll(opened).toEqual([`${at('lib/ä b.js')}:12:1`, `${at('lib/a.js')}:30:7`]);
      await expect(panel(page)).toHaveCount(0);
      await links.first().click({ button: 'middle' });
      await expect(ui.notices).toContainText('Copied');
      expect(await copied(page)).toBe(`${at('lib/a.js')}:30:7`);

      // The path in a row, with the line that the call names; the row itself opens as ever.
      await ui.group('1 tool call').or(ui.tool('Read lib/a.js')).first().click();
      const row = ui.tool('Read lib/a.js');
      await row.locator('.title-place').click();
      await expect(marked(page)).toHaveText('200const a200 = 200;');
      await row.locator('.title-place').click({ button: 'middle' });
      await expect.poll(() => copied(page)).toBe(`${at('lib/a.js')}:200`);
      await row.focus();
      await page.keyboard.press('Control+Enter');
      await expect.poll(async () => (await opened()).at(-1)).toBe(`${at('lib/a.js')}:200:1`);
      if ((await row.getAttribute('aria-expanded')) === 'false') await page.keyboard.press('Enter');
      await expect(row).toHaveAttribute('aria-expanded', 'true');

      // Below it: what the call was given, and where it was.
      const place = ui.transcript.locator('.places').getByRole('button', { name: 'lib/a.js:200' });
      await panel(page).getByRole('button', { name: 'Close', exact: true }).click();
      await place.click();
      await expect(marked(page)).toHaveText('200const a200 = 200;');
      await panel(page).getByRole('button', { name: 'Open in editor' }).click();
      await expect.poll(async () => (await opened()).length).toBe(4);
      await page.keyboard.press('Escape');
      await expect(place).toBeFocused();

      // The menu of the three, by the keyboard.
      await page.keyboard.press('Shift+F10');
      const menu = page.getByRole('menu');
      await expect(menu.getByRole('menuitem')).toHaveText([/^Preview/, /^Open in editor/, /^Copy path/]);
      await accessible(page, `the menu of a path, ${theme}`);
      await ui.picture(`${theme}-places-menu`);
      await expect(menu.getByRole('menuitem').first()).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(marked(page)).toHaveText('200const a200 = 200;');
      await page.setViewportSize({ width: 760, height: 800 });
      await expect(marked(page)).toBeInViewport();
      await ui.picture(`${theme}-places-760`);
      await page.setViewportSize({ width: 1720, height: 1000 });
      await ui.picture(`${theme}-places-1720`);

      // A row of the store brings only its line: what the call names is read once it is wanted.
      await page.reload();
      await row.locator('.title-place').click();
      await expect(marked(page)).toHaveText('200const a200 = 200;');
      await page.keyboard.press('Escape');
      await expect(row).toBeFocused();
    });

    test('what cannot be shown is a sentence', async ({ weft, page, ui }) => {
      const { at } = await prepare(weft);
      const { puppet } = await weft.puppet();
      await weft.open(page);
      await ui.send('go');
      const turn = await puppet.turn();
      const cases = [
        ['none.js', at('lib/none.js'), 'File not found'],
        ['passwd', '/etc/passwd', 'Outside the space'],
        ['out', at('lib/out'), 'Outside the space'],
        ['data.bin', at('lib/data.bin'), 'Binary file'],
        ['empty.js', at('lib/empty.js'), 'Empty file'],
        ['lib', at('lib'), 'Folder'],
      ] as const;
      for (const [name, path] of cases) read(turn, name, path, 1, `Look at ${name}`);
      read(turn, 'shot', at('lib/shot.png'), 1, 'Look at shot.png');
      turn.say('Done.');
      turn.end();
      await ui.idle();
      await ui.group(/./).click();
      for (const [name, , title] of cases) {
        await ui.tool(`Look at ${name}`).locator('.title-place').click();
        await expect(panel(page).getByRole('heading', { name: title })).toBeVisible();
        await expect(panel(page)).not.toContainText('root:');
        if (name !== 'none.js') continue;
        await accessible(page, `a missing file, ${theme}`);
        await ui.picture(`${theme}-places-missing`);
        // It is read again as soon as it is there.
        await writeFile(at('lib/none.js'), 'here\n');
        await panel(page).getByRole('button', { name: 'Try again' }).click();
        await expect(marked(page)).toHaveText('1here');
      }
      await ui.tool('Look at shot.png').locator('.title-place').click();
      const image = panel(page).getByRole('img', { name: 'lib/shot.png' });
      await expect(image).toBeVisible();
      expect(await image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBeGreaterThan(0);
      await accessible(page, `a picture, ${theme}`);
      await ui.picture(`${theme}-places-image`);
    });
  });

test('a large file is read in parts, up to its end', deep, async ({ weft, page, ui }) => {
  const { at } = await prepare(weft);
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  read(turn, '1', at('lib/large.js'), 30_000, 'Read large.js');
  turn.end();
  await ui.idle();
  await ui.tool('Read large.js').locator('.title-place').click();
  await expect(marked(page)).toHaveText('30000const a30000 = 30000;');
  const where = panel(page).getByRole('status');
  await expect(where).toHaveText(/^Lines 28.000 to 32.999 of 60.000$/);
  await ui.picture('light-places-large');
  await panel(page).getByRole('button', { name: 'Later lines' }).click();
  await expect(where).toHaveText(/^Lines 33.000 to /);
  await panel(page).getByRole('button', { name: 'Earlier lines' }).click();
  await expect(where).toHaveText(/^Lines 28.000 to /);
  await panel(page).getByRole('textbox', { name: 'Go to line' }).fill('60000');
  await page.keyboard.press('Enter');
  await expect(marked(page)).toHaveText('60000const a60000 = 60000;');
  await expect(panel(page).getByRole('button', { name: 'Later lines' })).toBeDisabled();
  await accessible(page, 'a part of a large file');
});

test('paths of diffs, requests and changes open as well', deep, async ({ weft, page, ui }) => {
  const { at, opened } = await prepare(weft);
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  const text = await readFile(at('lib/a.js'), 'utf8');
  const next = text.replace('const a50 = 50;', 'const a50 = 51;');
  const asked = turn.ask(
    { toolCallId: '1', title: 'Edit a.js', kind: 'edit', content: [diff(at('lib/a.js'), text, next)] },
    yesOrNo,
  );
  const card = ui.permissions.getByRole('button', { name: 'lib/a.js' });
  await card.click();
  await expect(panel(page).locator('.follow-line[data-at]')).toBeVisible();
  await page.keyboard.press('Escape');
  await card.click({ modifiers: ['Control'] });
  await expect.poll(async () => (await opened()).length).toBe(1);
  expect((await opened())[0]).toContain(`${at('lib/a.js')}:`);
  await armed(ui.permissions);
  await ui.permissions
    .getByRole('button', { name: /^Allow/ })
    .first()
    .click();
  await asked;
  await writeFile(at('lib/a.js'), next);
  turn.change({ toolCallId: '1', status: 'completed' });
  turn.end();
  await ui.idle();
  await ui.tool('Edit a.js').click();
  const head = ui.transcript.locator('.diff-head').getByRole('button', { name: 'lib/a.js' });
  await head.click();
  await expect(marked(page)).toHaveText('50const a50 = 51;');
  await page.keyboard.press('Escape');

  // From Changes and back to them.
  await page.keyboard.press('Control+Shift+r');
  await ui.changes.locator('.change-path').getByRole('button').click();
  await expect(panel(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(ui.changes).toBeVisible();
});

test('the editor is chosen in Settings, also from an error', deep, async ({ weft, page, ui }) => {
  const { at, opened } = await prepare(weft);
  await weft.call('SaveEditor', { use: 'custom', command: 'no-such-editor {path}' });
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  read(turn, '1', at('lib/a.js'), 3, 'Read a.js');
  turn.end();
  await ui.idle();
  await ui
    .tool('Read a.js')
    .locator('.title-place')
    .click({ modifiers: ['Control'] });
  await expect(ui.notices).toContainText(
    "Couldn't open the editor: no-such-editor wasn't found. Choose an editor in Settings.",
  );
  await ui.notices.getByRole('button', { name: 'Choose editor' }).click();
  const choice = page.getByRole('combobox', { name: 'Open files with' });
  await expect(choice).toBeFocused();
  await expect(choice).toHaveValue('custom');
  const command = page.getByRole('textbox', { name: 'Command' });
  await command.fill('ed');
  await command.press('Enter');
  await expect(page.getByRole('alert')).toContainText('The command must contain {path}');
  await accessible(page, 'the choice of an editor');
  await ui.picture('light-places-settings');
  await command.fill(`'${join(weft.folder, 'my editor')}' --at {line}:{column} {path}`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  const kept = JSON.parse(await readFile(weft.settings, 'utf8')) as { editor?: { use?: string } };
  expect(kept.editor?.use).toBe('custom');
  await page.getByRole('navigation').getByText('go', { exact: true }).first().click();
  await ui
    .tool('Read a.js')
    .locator('.title-place')
    .click({ modifiers: ['Control'] });
  await expect.poll(opened).toEqual([`${at('lib/a.js')}:3:1`]);
});

test('what an agent links to opens, whichever way it is written', deep, async ({ weft, page, ui }) => {
  const { at, opened } = await prepare(weft);
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  const links = [
    [`[short](lib/a.js#L10)`, 10],
    [`[range](lib/a.js#L20-L30)`, 20],
    [`[colons](lib/a.js:40:5)`, 40],
    [`[absolute](${at('lib/a.js')}:50)`, 50],
    [`[address](file://${at('lib/a.js')}:60)`, 60],
    [`[coded](file://${at('lib/%C3%A4%20b.js')}#L7)`, 7],
    [`\`lib/a.js:70-80\``, 70],
  ] as const;
  const none = [
    '[outside](file:///etc/passwd)',
    '[elsewhere](file://host/lib/a.js)',
    '[out](lib/out)',
    '[missing](lib/none.js#L3)',
    '[program](javascript:alert)',
    '`parseConfig()`',
    '`count`',
    '![picture](file:///etc/passwd)',
  ];
  turn.say([...links.map(([text]) => text), ...none].map((text) => `* ${text}`).join('\n'));
  turn.end();
  await ui.idle();
  const found = ui.transcript.locator('.md').getByRole('link');
  await expect(found).toHaveCount(links.length);
  const address = page.url();
  for (const [i, [text, line]] of links.entries()) {
    await found.nth(i).click();
    await expect(marked(page), text).toHaveText(`${line}const a${line} = ${line};`);
  }
  await ui.picture('light-places-links');
  await accessible(page, 'links to files', 'all');
  // By the keyboard: Control opens the editor at the line.
  await page.keyboard.press('Escape');
  await found.nth(4).press('Control+Enter');
  await expect.poll(opened).toEqual([`${at('lib/a.js')}:60:1`]);
  // No other link does anything, and the page stays.
  for (const name of ['outside', 'missing']) await page.getByText(name, { exact: true }).click();
  await expect(panel(page)).toHaveCount(0);
  expect(page.url()).toBe(address);
});

test('the path in a row is a link after a reload where it was one before', async ({ weft, page, ui }) => {
  const { at } = await prepare(weft);
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  // The title has only the name, and where that is, is in the locations or in the diff.
  read(turn, '1', at('lib/a.js'), 30, 'Read a.js');
  turn.did({
    toolCallId: '2',
    title: 'Edit large.js',
    kind: 'edit',
    content: [diff(at('lib/large.js'), 'const a5 = 5;\n', 'const a5 = 6;\n')],
  });
  turn.did({
    toolCallId: '3',
    title: 'Read empty.js after a.js',
    kind: 'read',
    locations: [{ path: at('lib/data.bin') }, { path: at('lib/empty.js'), line: 1 }],
  });
  turn.did({ toolCallId: '4', title: 'Read b.js', kind: 'read', locations: [{ path: at('lib/data.bin') }] });
  turn.end();
  await ui.idle();
  for (const when of ['live', 'after a reload']) {
    if (when !== 'live') await page.reload();
    const group = ui.group(/./).first();
    await expect(group).toBeVisible();
    if ((await group.getAttribute('aria-expanded')) === 'false') await group.click();
    await expect(ui.transcript.locator('.title-place'), when).toHaveText(['a.js', 'large.js', 'empty.js']);
    await ui.tool('Read a.js').locator('.title-place').click();
    await expect(marked(page), when).toHaveText('30const a30 = 30;');
    await ui.tool('Edit large.js').locator('.title-place').click();
    await expect(panel(page), when).toHaveAccessibleName('Preview of lib/large.js');
    await page.keyboard.press('Escape');
  }
});
