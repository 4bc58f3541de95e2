import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { diff, type Turn } from '../support/puppet';
import { allow } from '../support/requests';
import { expect, test } from '../support/test';

// The pictures of the README, and the frames of its recording, taken by `make pictures`.

const images = resolve(import.meta.dirname, '../../../docs/images');

test.skip(
  process.env['WEFT_README'] === undefined,
  'The pictures of the README are taken with make pictures.',
);
test.use({ viewport: { width: 1180, height: 800 }, deviceScaleFactor: 2 });

const before = `export function count(baskets: Basket[]): number {
  let apples = 1;
  for (const basket of baskets) apples += basket.apples;
  return apples;
}
`;

function works(turn: Turn): void {
  turn.say('I’ll look at how apples are counted.');
  turn.did({
    toolCallId: 'r1',
    title: 'Read src/basket.ts',
    kind: 'read',
    locations: [{ path: 'src/basket.ts' }],
  });
  turn.did({
    toolCallId: 'r2',
    title: 'Read src/basket.test.ts',
    kind: 'read',
    locations: [{ path: 'src/basket.test.ts' }],
  });
  turn.say('`count` starts at 1, so an empty basket counts as one apple. It has to start at **0**.');
}

const edit = {
  toolCallId: 'e1',
  title: 'Edit src/basket.ts',
  kind: 'edit',
  content: [diff('src/basket.ts', before, before.replace('apples = 1', 'apples = 0'))],
};
const offers = {
  options: [
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: 'sparrow',
      options: [{ value: 'sparrow', name: 'Sparrow 4' }],
    },
    {
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: 'ask',
      options: [{ value: 'ask', name: 'Ask', description: 'Asks before every change' }],
    },
  ],
};
const command = (id: string, line: string) => ({
  toolCallId: id,
  title: line,
  kind: 'execute',
  rawInput: { command: line },
});

async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(images, name), animations: 'disabled', caret: 'hide' });
}

test('are taken', async ({ weft, page, ui }) => {
  const { puppet, agent } = await weft.actor('Robin', offers);
  for (const title of ['Rewrite the price tags', 'Why the pump stops at night'])
    await weft.space(agent.id, title);
  await weft.space(agent.id);
  await weft.open(page);
  await ui.send('Empty baskets are counted as one apple. Fix it and run the tests.');
  const turn = await puppet.turn();
  works(turn);
  const answer = turn.ask(edit);
  await expect(ui.permissions).toBeVisible();
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await picture(page, `weft-${theme}.png`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await allow(ui.permissions);
  await answer;
  turn.change({ toolCallId: 'e1', status: 'completed' });
  turn.say('Now I run the tests.');
  const tests = turn.ask(command('t1', 'npm test'));
  await allow(ui.permissions);
  await tests;
  turn.change({ toolCallId: 't1', status: 'completed', rawOutput: { exit_code: 0, stdout: '8 passed' } });
  turn.say('All 8 tests pass.');
  turn.end();
  await ui.idle();

  const frames = resolve(images, 'frames');
  mkdirSync(frames, { recursive: true });
  await ui.send('Explain in three steps how apples are counted now.');
  const told = await puppet.turn();
  let over = false;
  const film = (async () => {
    for (let n = 0; !over; n++) {
      await page.screenshot({ path: join(frames, `${String(n).padStart(3, '0')}.png`), scale: 'css' });
      await pause(80);
    }
  })();
  const text =
    'Counting has three steps:\n\n1. `count` starts at **0**, so nothing is counted for an empty basket.\n2. Each basket adds its own apples.\n3. The sum is returned as it is.\n\n| Baskets | Before | Now |\n| --- | --: | --: |\n| none | 1 | 0 |\n| one with 4 | 5 | 4 |\n| two with 4 | 9 | 8 |\n\nThe tests hold all three.';
  for (const word of text.match(/\S+\s*/g) ?? []) {
    told.say(word);
    await pause(60);
  }
  told.end();
  await ui.idle();
  await pause(800);
  over = true;
  await film;
});
