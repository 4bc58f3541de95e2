import type { Page } from '@playwright/test';
import { Random } from '../../src/markdown/testing/random';
import { fromEnd, look, moved, segments, watch, wrongFrames } from '../support/frames';
import type { Screen } from '../support/screen';
import { expect, test } from '../support/test';

// Someone who reads in a conversation of which a part is held, by wheel and keys, at random, from a seed, while the agent writes: a
// view that doesn't fly doesn't stay empty, what is in it is without gaps and in order, and what is read stays in its place when more comes.
// WEFT_SEED=1,2 names the seeds, WEFT_STEPS the number of steps.

test.describe.configure({ mode: 'parallel' });

const seeds = process.env['WEFT_SEED']?.split(',').map(Number) ?? [1, 2];
const steps = Number(process.env['WEFT_STEPS'] ?? 120);
const begun = 2500;

/** One step of someone who reads; its name. */
async function step(page: Page, ui: Screen, random: Random): Promise<string> {
  const by = [120, 700, 2500, 9000, 100_000][random.below(5)] ?? 700;
  const direction = random.below(3) === 0 ? 1 : -1;
  const kind = random.below(10);
  if (kind < 6) {
    const times = 1 + random.below(4);
    for (let i = 0; i < times; i++) await page.mouse.wheel(0, direction * by);
    return `wheel ${times} × ${direction * by}`;
  }
  if (kind < 9) {
    const key = ['PageUp', 'PageDown', 'Home', 'End', 'ArrowUp', 'ArrowDown'][random.below(6)] ?? 'PageUp';
    await ui.transcript.focus();
    await page.keyboard.press(key);
    // A wheel that turns while the browser still scrolls by a key has it jump to and fro.
    await ui.rests();
    return key;
  }
  await page.keyboard.press('Control+End');
  return 'Control+End';
}

for (const seed of seeds)
  test(`reads on while an agent writes, as seed ${seed} has it`, async ({ weft, page, ui }) => {
    test.setTimeout(600_000);
    const random = new Random(seed);
    const { puppet, space } = await weft.puppet();
    await weft.call('SendPrompt', { spaceId: space.id, text: 'count' });
    const turn = await puppet.turn();
    turn.updates(segments(0, begun));
    let written = begun;
    await weft.open(page);
    await expect(ui.tool(`Read ${begun - 1}`)).toBeInViewport();
    await ui.transcript.hover();
    await watch(page);
    const done: string[] = [];
    for (let n = 0; n < steps; n++) {
      done.push(await step(page, ui, random));
      if (random.below(2) === 0) {
        const rests = random.below(2) === 0;
        if (rests) await ui.rests();
        const before = await look(page);
        const away = rests && (await fromEnd(page)) > 50;
        const more = [1, 7, 60, 400][random.below(4)] ?? 1;
        turn.updates(segments(written, written + more));
        written += more;
        done.push(`${rests ? 'rests, ' : ''}${more} come`);
        if (away) {
          await ui.rests();
          const after = await look(page);
          expect(
            moved(before, after),
            `${done.slice(-8).join('; ')}: ${JSON.stringify([before, after])}`,
          ).toEqual([]);
        }
      }
      expect(await wrongFrames(page), done.slice(-8).join('; ')).toEqual([]);
    }
    turn.end();
    await page.keyboard.press('Control+End');
    await expect(ui.text(`Segment ${written - 1}`).or(ui.tool(`Read ${written - 1}`))).toBeInViewport();
  });
