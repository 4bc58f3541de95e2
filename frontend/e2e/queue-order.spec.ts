import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import type { Puppet } from './support/puppet';
import type { Screen } from './support/screen';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import type { Weft } from './support/weft';

const items = (ui: Screen) => ui.queue.getByRole('listitem');
const grip = (item: Locator) => item.getByRole('button', { name: 'Reorder prompt' });

/** A turn that runs, and three prompts behind it. */
async function three(weft: Weft, page: Page, ui: Screen) {
  const { puppet, space } = await weft.puppet();
  await weft.open(page);
  await ui.send('one');
  const turn = await puppet.turn();
  for (const text of ['two', 'three', 'four']) await ui.send(text);
  await expect(items(ui)).toHaveText(['two', 'three', 'four']);
  return { puppet, space, turn };
}

/** Ends the turns from here on, and returns what each of them was asked. */
async function asked(puppet: Puppet, count: number): Promise<string[]> {
  const texts: string[] = [];
  while (texts.length < count) {
    const turn = await puppet.turn();
    texts.push(turn.text);
    turn.end();
  }
  return texts;
}

/** The window shows a new order before Weft has it. */
async function stored(weft: Weft, spaceId: string, texts: string[]) {
  const queue = async () => {
    const { state } = await weft.call('OpenSpace', { spaceId });
    return (state['queue'] as unknown as { text: string }[]).map(({ text }) => text);
  };
  await expect.poll(queue).toEqual(texts);
}

test('prompts are reordered by key and sent in that order', async ({ weft, page, ui }) => {
  const { puppet, space, turn } = await three(weft, page, ui);
  await expect(ui.queue.getByRole('button', { name: 'Resume' })).toHaveCount(0);
  const handle = grip(items(ui).filter({ hasText: 'four' }));
  await handle.focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.keyboard.press('Alt+ArrowUp');
  await expect(items(ui)).toHaveText(['four', 'two', 'three']);
  await expect(handle).toBeFocused();
  await expect(ui.queue.getByRole('status')).toHaveText('Moved to position 1 of 3.');
  await page.keyboard.press('Alt+ArrowUp');
  await expect(ui.queue.getByRole('status')).toHaveText('This prompt is the first one.');
  // From any part of the entry.
  await items(ui).filter({ hasText: 'two' }).getByRole('button', { name: 'Edit prompt' }).focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect(items(ui)).toHaveText(['four', 'three', 'two']);
  await handle.click();
  await expect(ui.queue.getByRole('status')).toHaveText('Press Alt+Up or Alt+Down to move this prompt.');
  await stored(weft, space.id, ['four', 'three', 'two']);
  await page.reload();
  await expect(items(ui)).toHaveText(['four', 'three', 'two']);
  turn.end();
  expect(await asked(puppet, 3)).toEqual(['four', 'three', 'two']);
  await expect(ui.queue).toBeHidden();
});

test('prompts are reordered by dragging, and Escape leaves them', deep, async ({ weft, page, ui }) => {
  const { puppet, space, turn } = await three(weft, page, ui);
  const drag = async (from: number, to: number, where: 'above' | 'below') => {
    const handle = await grip(items(ui).nth(from)).boundingBox();
    const target = await items(ui).nth(to).boundingBox();
    if (handle === null || target === null) throw new Error('the entries are not in view');
    await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
    await page.mouse.down();
    const y = where === 'above' ? target.y + 2 : target.y + target.height - 2;
    await page.mouse.move(handle.x + handle.width / 2, y, { steps: 4 });
  };
  await drag(2, 0, 'above');
  await expect(items(ui).nth(0)).toHaveAttribute('data-target', 'true');
  await ui.picture('queue-drag');
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await expect(items(ui)).toHaveText(['two', 'three', 'four']);
  await expect(ui.stop).toBeVisible();
  await drag(2, 0, 'above');
  await page.mouse.up();
  await expect(items(ui)).toHaveText(['four', 'two', 'three']);
  await drag(0, 2, 'below');
  await page.mouse.up();
  await expect(items(ui)).toHaveText(['two', 'three', 'four']);
  await drag(0, 1, 'below');
  await page.mouse.up();
  await expect(items(ui)).toHaveText(['three', 'two', 'four']);
  await stored(weft, space.id, ['three', 'two', 'four']);
  turn.end();
  expect(await asked(puppet, 3)).toEqual(['three', 'two', 'four']);
});

test('a change of a prompt that waits is kept by a look elsewhere', deep, async ({ weft, page, ui }) => {
  const { puppet, turn } = await three(weft, page, ui);
  await items(ui).filter({ hasText: 'two' }).getByRole('button', { name: 'Edit prompt' }).click();
  const field = ui.queue.getByRole('textbox', { name: 'Edit prompt' });
  await field.fill('two and a half');
  await page.keyboard.press('Control+n');
  await expect(page.getByRole('heading', { name: 'New space' })).toBeVisible();
  await ui.spaces.getByRole('button', { name: 'one' }).first().click();
  await expect(items(ui)).toHaveText(['two and a half', 'three', 'four']);
  turn.end();
  expect(await asked(puppet, 3)).toEqual(['two and a half', 'three', 'four']);
});

test('a prompt that has just begun is not moved, and says so', deep, async ({ weft, page, ui }) => {
  const { puppet, space, turn } = await three(weft, page, ui);
  const sent = await weft.call('OpenSpace', { spaceId: space.id });
  const [first] = sent.state['queue'] as unknown as { id: string }[];
  turn.end();
  await puppet.turn();
  await expect(items(ui)).toHaveText(['three', 'four']);
  const refused = weft.call('MoveQueued', { spaceId: space.id, promptId: first?.id ?? '' });
  await expect(refused).rejects.toThrow("The agent has already begun this prompt, so it can't be moved.");
  // The same in the window, which was a moment late.
  await page.route('**/api/MoveQueued', (route) =>
    route.continue({ postData: JSON.stringify({ spaceId: space.id, promptId: first?.id }) }),
  );
  await grip(items(ui).nth(1)).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(ui.notices).toContainText("Couldn't change the queue");
  await expect(ui.notices).toContainText("The agent has already begun this prompt, so it can't be moved.");
  await expect(items(ui)).toHaveText(['three', 'four']);
});

test('a queue is paused by a stop and by a failure, and resumed', async ({ weft, page, ui }) => {
  const { puppet, turn } = await three(weft, page, ui);
  await ui.stop.click();
  await turn.cancelled;
  await expect(ui.queue).toContainText('Paused because a turn was stopped.');
  await accessible(page, 'a paused queue');
  await ui.queue.getByRole('button', { name: 'Resume' }).click();
  const second = await puppet.turn();
  expect(second.text).toBe('two');
  await expect(ui.queue).not.toContainText('Paused');
  second.fail('The model is too busy');
  await expect(ui.queue).toContainText('Paused because the last turn failed.');
  // It stays so after a reload, and is resumed by key.
  await page.reload();
  await expect(ui.queue).toContainText('Paused because the last turn failed.');
  await ui.composer.focus();
  await page.keyboard.press('Control+Shift+Enter');
  expect(await asked(puppet, 2)).toEqual(['three', 'four']);
  await expect(ui.queue).toBeHidden();
});

for (const scheme of themes)
  for (const width of [760, 1720])
    test(
      `a queue of a shared space looks right in the ${scheme} at ${width}`,
      deep,
      async ({ weft, page, ui }) => {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 900 });
        const { puppet: robin, space } = await weft.puppet('Robin');
        const { puppet: wren, agent } = await weft.actor('Wren');
        await weft.call('AddMember', {
          spaceId: space.id,
          agentId: agent.id,
          name: 'Tester',
          role: '',
          speaks: 'direct',
          reads: 'all',
        });
        await writeFile(join(weft.project, 'notes.txt'), 'pears');
        await weft.open(page);
        await ui.send('Count the apples');
        await robin.turn();
        await ui.composer.fill('@Tester run the tests');
        await ui.composer.press('Enter');
        const turn = await wren.turn();
        await ui.send(
          'Then write down what you have counted, by basket and by color, with the date.\nAnd the pears.',
        );
        await weft.call('SendPrompt', {
          spaceId: space.id,
          text: '@Tester check @notes.txt and @README.md',
          to: [await testerOf(weft, space.id)],
          parts: [{ path: 'notes.txt' }, { path: 'README.md' }],
        });
        await ui.send('Sort them');
        await expect(items(ui)).toHaveCount(3);
        await expect(items(ui).nth(1)).toContainText('For Tester');
        await expect(items(ui).nth(1)).toContainText('2 attachments: notes.txt, README.md');
        turn.fail('The model is too busy');
        await expect(ui.queue).toContainText('Prompts for Tester are paused because its last turn failed.');
        await expect(ui.queue.getByRole('button', { name: 'Resume Tester' })).toBeVisible();
        await accessible(page, `a queue of a shared space in the ${scheme}`);
        await ui.picture(`queue-${scheme}-${width}`);
      },
    );

async function testerOf(weft: Weft, spaceId: string): Promise<string> {
  const spaces = await weft.call('ListSpaces', { archived: false, query: '' });
  const members = spaces.find(({ id }) => id === spaceId)?.members ?? [];
  return members.find(({ name }) => name === 'Tester')?.id ?? '';
}
