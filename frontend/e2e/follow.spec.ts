import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { shownMenu } from './support/menu';
import { diff } from './support/puppet';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

const panel = (page: Page) => page.getByRole('region', { name: 'Follow', exact: true });
const shown = (page: Page) => panel(page).locator('.follow-line[data-at]');
const file = (page: Page) => panel(page).getByRole('combobox', { name: 'Files the agent used' });

async function files(weft: Weft): Promise<(name: string) => string> {
  await mkdir(join(weft.project, 'lib'), { recursive: true });
  const lines = (name: string) => Array.from({ length: 400 }, (_, i) => `const ${name}${i + 1} = ${i + 1};`);
  await writeFile(join(weft.project, 'lib/a.js'), `${lines('a').join('\n')}\n`);
  await writeFile(join(weft.project, 'lib/b.js'), `${lines('b').join('\n')}\n`);
  await writeFile(join(weft.project, 'lib/data.bin'), Buffer.from([1, 0, 2, 3]));
  await symlink('/etc/passwd', join(weft.project, 'lib/out'));
  await symlink('/dev/zero', join(weft.project, 'lib/zero'));
  return (name) => join(weft.project, 'lib', name);
}

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });

    test('the file that the agent is at is shown as it moves', async ({ weft, page, ui }) => {
      const at = await files(weft);
      const { puppet } = await weft.puppet();
      await weft.trust();
      await weft.open(page);
      await page.keyboard.press('Control+Shift+e');
      await expect(panel(page)).toContainText("The agent hasn't read or changed any files yet.");
      await ui.send('go');
      const turn = await puppet.turn();
      turn.tool({
        toolCallId: '1',
        title: 'Read a.js',
        kind: 'read',
        locations: [{ path: at('a.js'), line: 200 }],
      });
      await expect(shown(page)).toHaveText('200const a200 = 200;');
      await expect(shown(page)).toBeInViewport();
      await expect(shown(page).locator('.tok-keyword')).toHaveText('const');
      await accessible(page, `following, ${theme}`, 'all');
      await ui.picture(`${theme}-follow`);
      // A change by a diff: the lines that differ.
      const before = Array.from({ length: 5 }, (_, i) => `l${i}`).join('\n');
      turn.tool({
        toolCallId: '2',
        title: 'Edit b.js',
        kind: 'edit',
        content: [diff(at('b.js'), before, before.replace('l2', 'x').replace('l3', 'y'))],
      });
      await expect(shown(page)).toHaveText(['3const b3 = 3;', '4const b4 = 4;']);
      await writeFile(at('b.js'), 'l0\nl1\nx\ny\nl4\n');
      turn.change({ toolCallId: '2', status: 'completed' });
      await expect(shown(page)).toHaveText(['3x', '4y']);
      // Through the file system of Weft.
      await turn.request('fs/read_text_file', { path: at('a.js'), line: 300, limit: 2 });
      await expect(shown(page)).toHaveText(['300const a300 = 300;', '301const a301 = 301;']);
      await turn.write(at('a.js'), 'all new\n');
      await expect(panel(page).locator('.follow-line')).toHaveText(['1all new']);
      turn.end();
    });
  });
}

test('who looks around is left alone, until they follow again', async ({ weft, page, ui }) => {
  const at = await files(weft);
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('go');
  const turn = await puppet.turn();
  turn.did({
    toolCallId: '1',
    title: 'Read a.js',
    kind: 'read',
    locations: [{ path: at('a.js'), line: 10 }],
  });
  // Opened late, it is where the agent is.
  await page.getByRole('button', { name: 'More about this space' }).click();
  await shownMenu(page).getByRole('menuitemcheckbox', { name: 'Follow the agent' }).click();
  await expect(shown(page)).toHaveText('10const a10 = 10;');
  await panel(page).getByRole('region', { name: 'File lib/a.js' }).focus();
  await page.keyboard.press('PageDown');
  const again = panel(page).getByRole('button', { name: 'Follow again' });
  await expect(again).toBeVisible();
  turn.did({
    toolCallId: '2',
    title: 'Read b.js',
    kind: 'read',
    locations: [{ path: at('b.js'), line: 20 }],
  });
  await expect(file(page).locator('option')).toHaveText(['lib/b.js', 'lib/a.js']);
  await expect(file(page)).toHaveValue(at('a.js'));
  await again.focus();
  await page.keyboard.press('Enter');
  await expect(shown(page)).toHaveText('20const b20 = 20;');
  await file(page).selectOption('lib/a.js');
  await expect(shown(page)).toHaveText('10const a10 = 10;');
  await expect(again).toBeVisible();
  // After a reload the files are still known.
  await page.reload();
  await expect(ui.tool('Read b.js')).toBeVisible();
  await page.keyboard.press('Control+Shift+e');
  await expect(shown(page)).toHaveText('20const b20 = 20;');
  turn.end();
  await page.setViewportSize({ width: 760, height: 800 });
  await expect(shown(page)).toBeInViewport();
  await ui.picture('light-follow-narrow');
  await panel(page).getByRole('button', { name: 'Close' }).click();
  await expect(panel(page)).toHaveCount(0);
});

test('nothing outside the folder is read; what is no text is told', async ({ weft, page, ui }) => {
  const at = await files(weft);
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await page.keyboard.press('Control+Shift+e');
  await ui.send('go');
  const turn = await puppet.turn();
  const say = panel(page).locator('.follow-message');
  let n = 0;
  for (const [path, said] of [
    [at('data.bin'), 'Binary file, 4'],
    ['/etc/passwd', 'is outside the space'],
    [at('../../../../../etc/passwd'), 'is outside the space'],
    [at('out'), 'out'],
    ['/dev/zero', 'is outside the space'],
    [at('zero'), 'zero'],
    [at('none.js'), 'none.js'],
    [at(''), 'is a folder'],
    ['bidi\u202e\nname.js', 'bidi'],
  ] as const) {
    turn.did({ toolCallId: `${++n}`, title: `Look ${n}`, kind: 'read', locations: [{ path, line: 1 }] });
    await expect(say).toContainText(said);
    await expect(panel(page)).not.toContainText('root:');
    await expect(panel(page).locator('.follow-line')).toHaveCount(0);
  }
  await expect(file(page).locator('option').first()).toHaveText(/bidi\\u\{202e\} name\.js/);
  turn.end();
});

test('a thousand moves at once are one or few reads, and the last one is shown', async ({
  weft,
  page,
  ui,
}) => {
  const at = await files(weft);
  const { puppet } = await weft.puppet();
  let reads = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/ReadSpaceFile')) reads++;
  });
  await weft.open(page);
  await page.keyboard.press('Control+Shift+e');
  await ui.send('go');
  const turn = await puppet.turn();
  turn.updates(
    Array.from({ length: 1000 }, (_, i) => ({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'x',
      title: 'Run through',
      locations: [{ path: at(i % 2 === 0 ? 'a.js' : 'b.js'), line: (i % 400) + 1 }],
    })),
  );
  turn.did({ toolCallId: 'last', title: 'Stop', kind: 'read', locations: [{ path: at('a.js'), line: 123 }] });
  await expect(shown(page)).toHaveText('123const a123 = 123;');
  expect(reads).toBeLessThan(100);
  turn.end();
});
