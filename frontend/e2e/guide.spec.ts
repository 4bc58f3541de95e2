import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { armed, reject } from './support/requests';
import { expect, test } from './support/test';

test.describe('a conversation with the guide', () => {
  test('goes from the question through a permission to a file on disk', async ({ weft, page, ui }) => {
    await weft.space('guide');
    await weft.open(page);
    await ui.send('make a CONTRIBUTING file');

    const permission = ui.permissions;
    await expect(permission).toHaveAccessibleName(/^Permission required: Change .*CONTRIBUTING\.md$/);
    await expect(permission).toContainText('npm install');
    const path = join(weft.project, 'CONTRIBUTING.md');
    await expect(access(path)).rejects.toThrow();
    await expect(ui.spaces.getByRole('listitem')).toContainText('Needs your answer');

    await page.keyboard.press('Control+Shift+j');
    await expect(permission).toBeFocused();
    await armed(permission);
    await page.keyboard.press('1');
    await expect(permission).toBeHidden();
    await ui.idle();
    await expect(ui.transcript).toContainText('is on disk as proposed');
    expect(await readFile(path, 'utf8')).toContain('npm test');

    // Text and calls are in the order in which they came.
    expect((await ui.lines('open')).slice(2)).toEqual([
      expect.stringContaining("text: I'm Weft's offline guide, not a language model"),
      '  tool: List orchard (completed)',
      expect.stringContaining('text: 6 files in 3 folders'),
      'group: Read 2 files (completed)',
      '  tool: Read README.md (completed)',
      '  tool: Read package.json (completed)',
      expect.stringContaining('text: Here is my proposal'),
      'group: Read 1 file, edited 1 (completed)',
      '  tool: Create CONTRIBUTING.md (completed)',
      '  tool: Read CONTRIBUTING.md (completed)',
      expect.stringContaining('text: Done: CONTRIBUTING.md is on disk'),
    ]);
  });

  test('leaves the disk alone when it is not allowed', async ({ weft, page, ui }) => {
    await weft.space('guide');
    await weft.open(page);
    await ui.send('make a CONTRIBUTING file');
    await reject(ui.permissions);
    await ui.idle();
    await expect(ui.tool('Create CONTRIBUTING.md')).toContainText('You rejected this');
    await expect(access(join(weft.project, 'CONTRIBUTING.md'))).rejects.toThrow();
  });

  test('says that it is no language model where it does not understand', async ({ weft, page, ui }) => {
    await weft.space('guide');
    await weft.open(page);
    await ui.send('compose an opera about plums');
    await expect(ui.transcript).toContainText('not a language model');
    await ui.idle();
  });
});
