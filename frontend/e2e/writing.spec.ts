import type { Locator, Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { diff, type Turn, yesOrNo } from './support/puppet';
import { allow } from './support/requests';
import { expect, test } from './support/test';

// What an agent writes into a tool call, seen while it writes it: in fragments, as Weft's own agent sends them, and as
// a rawInput that is sent again and again with more in it.

const line = (n: number) => `export const value${n} = ${n}; // line ${n}`;
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${line(from + i)}\n`).join('');

/** Sends a piece of the JSON that the model writes. */
const fragment = (turn: Turn, toolCallId: string, delta: string) =>
  turn.change({ toolCallId, _meta: { 'weft/inputDelta': delta } });
/** A text as it is within a JSON string. */
const inside = (text: string) => JSON.stringify(text).slice(1, -1);

const row = (page: Page, of: string | RegExp) => page.locator('.tool').filter({ hasText: of });
const preview = (row: Locator) => row.locator('.writing-lines');

test('a file is seen while it is written, and turns into its diff', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Write it');
  const turn = await puppet.turn();
  const path = `${weft.project}/src/app.ts`;
  turn.say('I write a file.');
  turn.tool({ toolCallId: 'w', title: 'write', kind: 'edit', status: 'pending' });
  fragment(turn, 'w', `{"path":"${path}","cont`);
  fragment(turn, 'w', `ent":"${inside(lines(1, 3))}${inside(line(4)).slice(0, 12)}`);
  const write = row(page, 'src/app.ts');
  await expect(write.locator('.tool-title')).toHaveText('Writing src/app.ts');
  await expect(write.locator('.tool-note')).toHaveText('4 lines');
  await expect(preview(write).locator('.writing-line').first()).toContainText(line(1));
  await expect(preview(write).locator('.writing-line').last()).toContainText(line(4).slice(0, 12));
  await expect(write.getByRole('status')).toHaveText('Writing: Writing src/app.ts');

  // It follows the end, and shows the last lines only.
  fragment(turn, 'w', `${inside(line(4)).slice(12)}\\n${inside(lines(5, 214))}`);
  await expect(write.locator('.tool-note')).toHaveText(/^214 lines · /);
  await expect(preview(write)).toContainText(line(214));
  await expect(preview(write)).not.toContainText(line(190));
  expect(await preview(write).locator('.writing-line').count()).toBeLessThanOrEqual(13);
  await expect(write.getByRole('status')).toHaveText('Writing: Writing src/app.ts');
  await accessible(page, 'a file that is written');

  // A reload in the middle has it too, and continues.
  await page.reload();
  await expect(write.locator('.tool-note')).toHaveText(/^214 lines · /);
  await expect(preview(write)).toContainText(line(214));
  fragment(turn, 'w', inside(lines(215, 220)));
  await expect(write.locator('.tool-note')).toHaveText(/^220 lines · /);
  await expect(preview(write)).toContainText(line(220));

  fragment(turn, 'w', '"}');
  turn.change({
    toolCallId: 'w',
    title: 'Write src/app.ts',
    status: 'in_progress',
    rawInput: { path, content: lines(1, 220) },
    content: [diff(path, null, lines(1, 220))],
  });
  // The diff is where the text was: nothing closes by itself.
  await expect(write.locator('.diff')).toContainText(line(1));
  await expect(preview(write)).toHaveCount(0);
  await expect(write.locator('.diff .change-line').last()).toBeInViewport();
  await expect(write.locator('.tool-title')).toHaveText('Write src/app.ts');
  turn.change({ toolCallId: 'w', status: 'completed' });
  turn.say('Done.');
  turn.end();
  await ui.idle();
  await expect(write.locator('.diff')).toBeVisible();
  await expect(write.locator('.tool-note')).toHaveText('+220 −0');
  await page.reload();
  await expect(write.locator('.tool-note')).toHaveText('+220 −0');
});

test('a command is seen while it is written', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Run it');
  const turn = await puppet.turn();
  turn.tool({ toolCallId: 'c', title: 'shell', kind: 'execute', status: 'pending' });
  fragment(turn, 'c', '{"description":"A test","command":"npm run te');
  const call = page.locator('.tool');
  await expect(call.locator('.command')).toHaveText('$ npm run te▊');
  fragment(turn, 'c', 'st -- --grep \\"one\\"');
  await expect(call.locator('.command')).toHaveText('$ npm run test -- --grep "one"▊');
  await page.reload();
  await expect(call.locator('.command')).toHaveText('$ npm run test -- --grep "one"▊');
  fragment(turn, 'c', '"}');
  turn.change({
    toolCallId: 'c',
    title: 'npm run test',
    status: 'in_progress',
    rawInput: { description: 'A test', command: 'npm run test -- --grep "one"' },
  });
  await expect(call.locator('.command')).toHaveText('$ npm run test -- --grep "one"');
  turn.change({ toolCallId: 'c', status: 'completed', rawOutput: { output: 'all good', exitCode: 0 } });
  turn.end();
  await ui.idle();
  await expect(call).toContainText('all good');
});

test('an input that is sent again with more in it is seen as it grows', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Edit it');
  const turn = await puppet.turn();
  const file_path = `${weft.project}/README.md`;
  turn.say('First an edit.');
  turn.tool({ toolCallId: 'e', title: 'Edit', kind: 'edit', status: 'pending', rawInput: {} });
  turn.change({ toolCallId: 'e', rawInput: { file_path } });
  turn.change({ toolCallId: 'e', rawInput: { file_path, old_string: 'one' } });
  const edit = row(page, 'README.md');
  await expect(edit.locator('.tool-title')).toHaveText('Editing README.md');
  await expect(edit.locator('.writing')).toHaveAttribute('data-side', 'old');
  await expect(preview(edit)).toContainText('one');
  let new_string = '';
  for (const more of ['two', ' and\n', 'three \ud83d', '\ude00']) {
    new_string += more;
    turn.change({ toolCallId: 'e', rawInput: { file_path, old_string: 'one', new_string } });
  }
  await expect(edit.locator('.writing')).toHaveAttribute('data-side', 'new');
  await expect(preview(edit).locator('.writing-line')).toHaveText(['1two and', '2three 😀▊']);
  const input = { replace_all: false, file_path, old_string: 'one', new_string };
  turn.change({
    toolCallId: 'e',
    status: 'completed',
    rawInput: input,
    content: [diff(file_path, 'one', new_string)],
  });
  await expect(edit.locator('.diff')).toContainText('three 😀');
  turn.say('That was it.');
  turn.end();
  await ui.idle();
  await expect(ui.transcript).toContainText(/First an edit\..*three 😀.*That was it\./s);
});

test('a question takes the place of what was written, until it is answered', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Write it');
  const turn = await puppet.turn();
  const path = `${weft.project}/d.ts`;
  const call = { toolCallId: 'w', title: 'Write d.ts', rawInput: { path, content: lines(1, 3) } };
  turn.tool({ toolCallId: 'w', title: 'Write d.ts', kind: 'edit', status: 'pending' });
  fragment(turn, 'w', JSON.stringify(call.rawInput));
  const write = row(page, 'd.ts');
  await expect(preview(write)).toContainText(line(3));
  const answer = turn.ask({ ...call, content: [diff(path, null, lines(1, 3))] }, yesOrNo);
  await expect(ui.permissions).toContainText(line(3));
  await allow(ui.permissions);
  await answer;
  turn.change({ toolCallId: 'w', status: 'completed' });
  await expect(write.locator('.tool-note')).toHaveText('+3 −0');
  await expect(write.locator('.diff')).toHaveCount(1);
  turn.end();
});

test('a user closes what is written, and it stays closed', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Write two');
  const turn = await puppet.turn();
  turn.did({ toolCallId: 'r', title: 'Read a file', kind: 'read' });
  turn.tool({ toolCallId: 'w', title: 'write', kind: 'edit', status: 'pending' });
  fragment(turn, 'w', `{"path":"${weft.project}/b.ts","content":"${inside(lines(1, 2))}`);
  const write = row(page, 'b.ts');
  await expect(preview(write)).toContainText(line(2));
  await write.locator('.tool-line').click();
  await expect(preview(write)).toHaveCount(0);
  fragment(turn, 'w', inside(lines(3, 9)));
  await expect(write.locator('.tool-note')).toHaveText('9 lines');
  await expect(preview(write)).toHaveCount(0);
  // A closed group says it in its line.
  await ui.group(/./).click();
  await expect(ui.group(/./)).toContainText('Writing b.ts · 9 lines');
  fragment(turn, 'w', inside(lines(10, 12)));
  await expect(ui.group(/./)).toContainText('Writing b.ts · 12 lines');
  turn.end('cancelled');
  await ui.idle();
  await expect(ui.group(/./)).not.toContainText('Writing');
});

test('what is read above stays in place while a file is written below', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.send('Write a long one');
  const turn = await puppet.turn();
  turn.say(Array.from({ length: 60 }, (_, i) => `Paragraph ${i + 1} of what was said.`).join('\n\n'));
  await expect(ui.transcript).toContainText('Paragraph 60 of');
  const read = ui.transcript.getByText('Paragraph 20 of what was said.');
  await ui.transcript.hover();
  await page.mouse.wheel(0, -1200);
  await expect(read).toBeInViewport();
  await ui.rests();
  const top = async () => (await read.boundingBox())?.y;
  const before = await top();
  turn.tool({ toolCallId: 'w', title: 'write', kind: 'edit', status: 'pending' });
  fragment(turn, 'w', `{"path":"${weft.project}/c.ts","content":"`);
  for (let i = 0; i < 40; i++) fragment(turn, 'w', inside(lines(i * 10 + 1, i * 10 + 10)));
  fragment(turn, 'w', '"}');
  turn.change({ toolCallId: 'w', status: 'completed', rawInput: { path: 'c.ts', content: lines(1, 400) } });
  turn.say('Done.');
  turn.end();
  await ui.idle();
  expect(await top()).toBe(before);
});

for (const theme of ['light', 'dark'] as const) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme, reducedMotion: theme === 'dark' ? 'reduce' : 'no-preference' });
    test('it looks right, wide and narrow', deep, async ({ weft, page, ui }) => {
      const { puppet } = await weft.puppet();
      await weft.open(page);
      await ui.send('Write');
      const turn = await puppet.turn();
      turn.say('I add the server and run its tests.');
      turn.did({ toolCallId: 'r', title: 'Read package.json', kind: 'read' });
      turn.tool({ toolCallId: 'w', title: 'write', kind: 'edit', status: 'pending' });
      fragment(
        turn,
        'w',
        `{"path":"${weft.project}/src/server.ts","content":"${inside(lines(1, 213))}export fun`,
      );
      turn.tool({ toolCallId: 'e', title: 'Edit', kind: 'edit', status: 'pending' });
      fragment(turn, 'e', `{"path":"${weft.project}/src/old.ts","oldText":"const a = 1;\\nconst b`);
      turn.tool({ toolCallId: 'c', title: 'shell', kind: 'execute', status: 'pending' });
      fragment(turn, 'c', '{"command":"npm run build && npm te');
      await expect(page.locator('.writing')).toHaveCount(3);
      await ui.picture(`${theme}-writing`);
      await accessible(page, 'writing', theme === 'light' ? 'all' : 'colours');
      await page.setViewportSize({ width: 760, height: 800 });
      await ui.picture(`${theme}-writing-narrow`);
      turn.end();
    });
  });
}
