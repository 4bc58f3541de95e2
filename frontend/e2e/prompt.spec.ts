import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { handIn } from './support/handin';
import type { Manners } from './support/puppet';
import { diff } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';

// What goes along with a prompt: from the composer to the agent, and back into the conversation.

const takes = (what: object): Manners => ({
  initialize: { agentCapabilities: { promptCapabilities: what } },
});
const everything = takes({ image: true, audio: true, embeddedContext: true });
const picture = { name: 'apple.png', type: 'image/png', draw: { width: 320, height: 200 } };

const attached = (page: Page) => page.getByRole('list', { name: 'Attachments' }).getByRole('listitem');
const along = (ui: Screen) => ui.transcript.getByRole('list', { name: 'Attached' }).last();
const suggestions = (page: Page) => page.getByRole('listbox').getByRole('option');

test('a file and a folder are mentioned by keyboard alone', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet('Robin', everything);
  await weft.open(page);
  await ui.composer.pressSequentially('Compare @appl');
  await expect(suggestions(page).first()).toContainText('apples.js');
  await page.keyboard.press('ArrowDown');
  await expect(suggestions(page).nth(1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(ui.composer).toHaveValue('Compare @src/apples.js ');
  await page.keyboard.type('with @te');
  await expect(suggestions(page).first()).toContainText('test/');
  // Tab goes into a folder.
  await page.keyboard.press('Tab');
  await expect(ui.composer).toHaveValue('Compare @src/apples.js with @test/');
  await expect(suggestions(page).filter({ hasText: 'apples.test.js' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.type(' and @README.md, please');
  await page.keyboard.press('Enter');
  const turn = await puppet.turn();
  expect(turn.blocks.map(({ type }) => type)).toEqual(['text', 'resource', 'resource_link', 'resource']);
  expect(turn.text).toBe('Compare @src/apples.js with @test/ and @README.md, please');
  expect(turn.blocks[1]).toMatchObject({
    resource: { uri: `file://${weft.project}/src/apples.js`, text: /^export function count/ },
  });
  turn.end();
  await expect(along(ui).getByRole('listitem')).toHaveText(['src/apples.js', 'test/', 'README.md']);
});

test('what git ignores is found by its exact path only, and strange names do no harm', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet } = await weft.puppet('Robin', everything);
  await writeFile(join(weft.project, '.gitignore'), 'secret.env\n');
  await writeFile(join(weft.project, 'secret.env'), 'KEY=1\n');
  await writeFile(join(weft.project, 'two\nlines \u202egnp.txt'), 'strange\n');
  await weft.open(page);
  await ui.composer.pressSequentially('@secret.en');
  await expect(page.getByText('No files match “secret.en”')).toBeVisible();
  await page.keyboard.type('v');
  await expect(suggestions(page)).toHaveText([/secret\.env.*ignored/]);
  await ui.composer.fill('');
  await ui.composer.pressSequentially('@lines');
  await expect(suggestions(page)).toHaveText([/two lines \\u\{202e\}gnp\.txt/]);
  await page.keyboard.press('Enter');
  await expect(ui.composer).toHaveValue('@two lines \\u{202e}gnp.txt ');
  await page.keyboard.press('Enter');
  const turn = await puppet.turn();
  expect(turn.blocks[1]).toMatchObject({ type: 'resource', resource: { text: 'strange\n' } });
  turn.end();
  await expect(along(ui).getByRole('listitem')).toHaveText(['two lines \\u{202e}gnp.txt']);
});

test('an image is pasted, another dropped, one removed; after a reload it is still there', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet } = await weft.puppet('Robin', everything);
  await weft.open(page);
  await ui.composer.focus();
  await handIn(page, 'paste', [picture]);
  await expect(attached(page)).toHaveText(/apple\.png/);
  await handIn(page, 'drop', [
    { ...picture, name: 'basket.png' },
    { name: 'list.txt', type: 'text/plain', text: 'one\ntwo\n' },
    { name: 'notes.md', type: 'text/markdown', text: '# Notes\n\nTODO: say what an apple is.\n' },
  ]);
  await expect(attached(page)).toHaveCount(4);
  await expect(attached(page).last()).toContainText('docs/notes.md');
  await accessible(page, 'attachments');
  await page.getByRole('button', { name: 'Remove basket.png' }).click();
  await expect(attached(page)).toHaveCount(3);
  await expect(ui.composer).toBeFocused();
  // Another space has its own draft; this one waits for its return.
  const other = await weft.space('guide', 'Older things');
  await ui.spaces
    .getByRole('button', { name: new RegExp(other.title) })
    .first()
    .click();
  await expect(attached(page)).toHaveCount(0);
  await ui.spaces
    .getByRole('button', { name: /^New space/ })
    .first()
    .click();
  await expect(attached(page)).toHaveCount(3);
  // A reload keeps the draft with all of it.
  await page.reload();
  await expect(attached(page)).toHaveCount(3);
  await expect(attached(page).first().locator('img')).toHaveJSProperty('naturalWidth', 320);
  await ui.composer.fill('What is this?');
  await page.keyboard.press('Enter');
  const turn = await puppet.turn();
  expect(turn.blocks.map(({ type }) => type)).toEqual(['text', 'image', 'resource', 'resource']);
  expect(turn.blocks[1]).toMatchObject({ mimeType: 'image/png', data: /^iVBOR/ });
  expect(turn.blocks[2]).toMatchObject({ resource: { text: 'one\ntwo\n' } });
  await expect(attached(page)).toHaveCount(0);
  turn.say('An apple.');
  turn.end();
  await page.reload();
  const image = along(ui).getByRole('img', { name: 'apple.png' });
  await expect(image).toBeVisible();
  expect(await image.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(320);
  await along(ui).getByRole('button', { name: 'Enlarge apple.png' }).press('Enter');
  await expect(along(ui).getByRole('button', { name: 'Shrink apple.png' })).toHaveAttribute(
    'aria-expanded',
    'true',
  );
  await accessible(page, 'what went along');
});

test('the paperclip takes files, and an image may be sent without a word', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet('Robin', everything);
  await weft.open(page);
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await expect(send).toBeDisabled();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  await (await chooser).setFiles([
    { name: 'words.txt', mimeType: 'text/plain', buffer: Buffer.from('hi\n') },
  ]);
  await expect(attached(page)).toHaveText(/words\.txt/);
  await expect(ui.composer).toBeFocused();
  await send.click();
  const turn = await puppet.turn();
  expect(turn.blocks).toMatchObject([{ type: 'resource', resource: { text: 'hi\n' } }]);
  turn.end();
  await expect(along(ui).getByRole('listitem')).toContainText('words.txt');
});

test('what the agent cannot take is refused before it is sent, by the name of the agent', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet } = await weft.puppet('Robin', takes({}));
  await weft.open(page);
  await ui.composer.fill('Look');
  await handIn(page, 'drop', [picture, { name: 'far.txt', type: 'text/plain', text: 'far\n' }]);
  await expect(attached(page).first()).toContainText("Robin doesn't accept images.");
  await expect(attached(page).last()).toContainText("Robin only accepts files from the space's folder.");
  await accessible(page, 'refused attachments');
  await ui.composer.press('Enter');
  await expect(ui.notices).toContainText("Remove the attachments that can't be sent");
  await expect(ui.composer).toHaveValue('Look');
  await page.getByRole('button', { name: 'Remove apple.png' }).click();
  await page.getByRole('button', { name: 'Remove far.txt' }).click();
  await ui.composer.press('Enter');
  const turn = await puppet.turn();
  expect(turn.blocks).toHaveLength(1);
  turn.end();
});

test('hostile files: empty, not what they are called, too large, too many, folders that have gone', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet } = await weft.puppet('Robin', everything);
  await weft.open(page);
  await handIn(page, 'drop', [
    { name: 'void.png', type: 'image/png', text: '' },
    { name: 'page.png', type: 'image/png', text: '<!doctype html><script>alert(1)</script>' },
    {
      name: 'draw.svg',
      type: 'image/svg+xml',
      text: '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
    },
    { name: 'noise.png', type: 'image/png', draw: { width: 2000, height: 2000, noise: true } },
  ]);
  await expect(attached(page).nth(0)).toContainText('void.png is empty');
  await expect(attached(page).nth(1)).toContainText("page.png isn't the image type that its name says");
  await expect(attached(page).nth(2)).not.toHaveAttribute('data-problem', 'true');
  await expect(attached(page).nth(2).getByRole('img')).toHaveCount(0);
  await expect(attached(page).nth(3)).toContainText('noise.png is larger than 10');
  await attached(page).nth(3).getByRole('button', { name: 'Make smaller' }).click();
  await expect(attached(page).nth(3)).toContainText('noise.webp');
  await expect(attached(page).nth(3)).toHaveAttribute('data-status', 'ready');
  await handIn(
    page,
    'drop',
    Array.from({ length: 200 }, (_, i) => ({ name: `f${i}.txt`, type: 'text/plain', text: `${i}\n` })),
  );
  await expect(attached(page)).toHaveCount(20);
  await expect(ui.notices).toContainText("184 files weren't attached");
  for (const name of ['void.png', 'page.png'])
    await page.getByRole('button', { name: `Remove ${name}` }).click();
  // A file that goes between its mention and the prompt: nothing that was written is lost.
  await mkdir(join(weft.project, 'brief'));
  await writeFile(join(weft.project, 'brief/life.txt'), 'x\n');
  await ui.composer.pressSequentially('@brief/life');
  await expect(suggestions(page).first()).toContainText('life.txt');
  await page.keyboard.press('Enter');
  await rm(join(weft.project, 'brief'), { recursive: true });
  await page.getByRole('button', { name: 'Remove f0.txt' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(ui.notices).toContainText('brief/life.txt no longer exists');
  await expect(ui.composer).toHaveValue('@brief/life.txt ');
  await expect(attached(page)).toHaveCount(17);
  await ui.composer.fill('Now');
  await page.keyboard.press('Enter');
  const turn = await puppet.turn();
  expect(turn.blocks).toHaveLength(18);
  turn.end();
});

test('a prompt that waits keeps what goes along', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet('Robin', everything);
  await weft.open(page);
  await ui.send('First');
  const first = await puppet.turn();
  await handIn(page, 'drop', [picture]);
  await ui.composer.fill('Then @README.md ');
  await page.keyboard.press('Enter');
  await expect(ui.queue).toContainText('README.md, apple.png');
  await expect(attached(page)).toHaveCount(0);
  first.end();
  const second = await puppet.turn();
  expect(second.blocks.map(({ type }) => type)).toEqual(['text', 'resource', 'image']);
  second.fail('The model is out of reach');
  // Trying again sends all of it once more.
  await ui.error.getByRole('button', { name: /again|Retry/i }).click();
  const third = await puppet.turn();
  expect(third.blocks).toEqual(second.blocks);
  third.end();
});

test('an earlier prompt that is fetched back mentions what it mentioned', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet('Robin', everything);
  await weft.open(page);
  await ui.composer.pressSequentially('Read @main');
  await expect(suggestions(page).first()).toContainText('main.js');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  (await puppet.turn()).end();
  await ui.idle();
  await page.reload();
  await expect(page.getByRole('article', { name: 'You', exact: true })).toBeVisible();
  await ui.composer.focus();
  await page.keyboard.press('ArrowUp');
  await expect(ui.composer).toHaveValue(/Read @src\/main\.js/);
  await page.keyboard.press('Enter');
  const again = await puppet.turn();
  expect(again.blocks[1]).toMatchObject({ resource: { uri: `file://${weft.project}/src/main.js` } });
  again.end();
});

test('what is selected is quoted with its origin: by the button, by key, from a diff', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet } = await weft.puppet('Robin', everything);
  await weft.open(page);
  await ui.send('Explain');
  const turn = await puppet.turn();
  turn.say('An empty basket counts as one.\n\nThat is *wrong*.\n');
  turn.did({
    toolCallId: 'e',
    title: 'Edit src/apples.js',
    kind: 'edit',
    content: [diff(join(weft.project, 'src/apples.js'), 'a\nb\nc\n', 'a\nB\nc\n')],
  });
  turn.end();
  await ui.idle();
  const select = (selector: string) =>
    page.evaluate((selector) => {
      const nodes = document.querySelectorAll(selector);
      const [first, last] = [nodes[0], nodes[nodes.length - 1]];
      const range = document.createRange();
      range.setStartBefore(first as Node);
      range.setEndAfter(last as Node);
      const selection = document.getSelection();
      selection?.removeAllRanges();
      selection?.addRange(range);
    }, selector);
  await select('[data-kind=prose] p');
  const button = page.getByRole('button', { name: /^Quote/ });
  await expect(button).toBeVisible();
  await accessible(page, 'quote');
  await button.click();
  await expect(button).toBeHidden();
  await expect(ui.composer).toHaveValue(
    '> Robin:\n>\n> An empty basket counts as one.\n>\n> That is wrong.\n\n',
  );
  await expect(ui.composer).toBeFocused();
  await ui.composer.fill('');
  await ui.tool('Edit src/apples.js').click();
  await expect(ui.transcript.locator('.diff .change-line').first()).toBeVisible();
  await select('.diff .change-line:not([data-type=same])');
  await expect(button).toBeVisible();
  await page.keyboard.press('Control+Shift+Y');
  await expect(ui.composer).toHaveValue(
    '> Robin, src/apples.js, line 2:\n>\n> ```diff\n> -b\n> +B\n> ```\n\n',
  );
  await ui.composer.fill('');
  await select('.prompt-text');
  await expect(button).toBeVisible();
  await ui.command('Quote the selected text');
  await expect(ui.composer).toHaveValue('> You:\n>\n> Explain\n\n');
});

test('what is copied and quoted keeps its structure, and none of the looks', async ({
  weft,
  page,
  ui,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: weft.url });
  await page.emulateMedia({ colorScheme: 'dark' });
  const { puppet } = await weft.puppet('Robin');
  await weft.open(page);
  await ui.send('Explain\n    as code');
  const turn = await puppet.turn();
  const said = 'With $x^2$:\n\n1. one\n   - [x] done\n   - [ ] open\n2. two\n\n> said\n>\n> - again';
  turn.say(`${said}\n\n\`\`\`sh\nif a; then\n  b\nfi\n\`\`\`\n`);
  turn.end();
  await ui.idle();
  await expect(ui.transcript.locator('.katex')).toHaveCount(1);
  const copy = async (selector: string) => {
    await page.evaluate((selector) => {
      getSelection()?.selectAllChildren(document.querySelector(selector) as Node);
    }, selector);
    await page.keyboard.press('Control+c');
    return page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      return {
        text: await (await item?.getType('text/plain'))?.text(),
        html: await (await item?.getType('text/html'))?.text(),
      };
    });
  };
  expect((await copy('.prompt-text')).text).toBe('Explain\n    as code');
  const { text, html } = await copy('[data-kind=prose]');
  expect(text).toBe(`${said}\n\nif a; then\n  b\nfi`);
  expect(html).toContain('<ol><li>one<ul><li>[x] done</li><li>[ ] open</li></ul></li><li>two</li></ol>');
  expect(html).toContain('<pre><code class="language-sh">if a; then\n  b\nfi</code></pre>');
  expect(html).not.toMatch(/style|color|katex/);
  await page.getByRole('button', { name: /^Quote/ }).click();
  await expect(ui.composer).toHaveValue(
    `${['Robin:', '', ...said.split('\n'), '', '```sh', 'if a; then', '  b', 'fi', '```']
      .map((line) => `> ${line}`.trimEnd())
      .join('\n')}\n\n`,
  );
});

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });
    test('how it looks', deep, async ({ weft, page, ui }) => {
      const { puppet } = await weft.puppet('Robin', takes({ image: true }));
      await weft.open(page);
      await ui.composer.pressSequentially('Compare @a');
      await expect(suggestions(page).first()).toBeVisible();
      await ui.picture(`${theme}-mention`);
      await accessible(page, 'mention', theme === 'light' ? 'all' : 'colours');
      await ui.composer.fill('Compare @src/apples.js with this ');
      await handIn(page, 'drop', [
        picture,
        { name: 'noise.png', type: 'image/png', draw: { width: 2000, height: 2000, noise: true } },
        { name: 'notes.md', type: 'text/markdown', text: '# Notes\n\nTODO: say what an apple is.\n' },
        { name: 'far.txt', type: 'text/plain', text: 'far\n' },
      ]);
      await expect(attached(page).filter({ hasText: 'Make smaller' })).toBeVisible();
      await expect(attached(page).last()).toContainText('Robin only accepts files');
      await ui.picture(`${theme}-attachments`);
      await accessible(page, 'attachments', theme === 'light' ? 'all' : 'colours');
      for (const name of ['far.txt', 'noise.png'])
        await page.getByRole('button', { name: `Remove ${name}` }).click();
      await ui.composer.press('Enter');
      const turn = await puppet.turn();
      turn.say('The drawing shows an apple; `count` counts **baskets**, and takes an empty one for one.');
      await handIn(page, 'drop', [picture]);
      await ui.composer.fill('And this one? @docs/');
      await ui.composer.press('Enter');
      await expect(ui.queue).toContainText('apple.png');
      await ui.picture(`${theme}-queued-along`);
      turn.end();
      (await puppet.turn()).end();
      await ui.idle();
      await ui.text('The drawing').getByText('baskets').dblclick();
      await expect(page.getByRole('button', { name: /^Quote/ })).toBeVisible();
      await ui.picture(`${theme}-along`);
      await accessible(page, 'along', theme === 'light' ? 'all' : 'colours');
    });
  });
}
