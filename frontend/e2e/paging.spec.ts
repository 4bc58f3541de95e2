import type { Page } from '@playwright/test';
import { forgetFrames, fromEnd, look, moved, segments, watch, wrongFrames } from './support/frames';
import { expect, test } from './support/test';

const written = 3000;
/** So many segments are held at most where nothing moves, and the height of one is at most so many pixels. */
const held = 810;
const tallest = 90;

test.describe('a conversation of which a part is held', () => {
  test('keeps what is read in its place when a page comes at one end and the other is dropped', async ({
    weft,
    page,
    ui,
  }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('SendPrompt', { spaceId: space.id, text: 'count' });
    const turn = await puppet.turn();
    turn.updates(segments(0, written));
    turn.end();
    await expect
      .poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs, { timeout: 60_000 })
      .toEqual([]);
    const pages = await heldPages(page);
    await weft.open(page);
    await expect(ui.tool(`Read ${written - 1}`)).toBeInViewport();
    await ui.transcript.hover();
    await watch(page, true);

    // Up until the end has been dropped, and down again to the end.
    for (const [direction, steps] of [
      [-1, 10],
      [1, 40],
    ] as const) {
      let last = false;
      for (let i = 0; i < steps && !last; i++) {
        pages.hold();
        await page.mouse.wheel(0, direction * 100_000);
        await pages.asked();
        await ui.rests();
        const before = await look(page);
        expect(before.numbers.length).toBeGreaterThan(2);
        await forgetFrames(page);
        last = await pages.release();
        const about = `page ${i}, ${direction < 0 ? 'up' : 'down'}`;
        const stays = async () => {
          await ui.rests();
          const after = await look(page);
          expect(moved(before, after), `${about}: ${JSON.stringify(after)}`).toEqual([]);
        };
        // There is more where it meets what was there, and soon less at the other end.
        if (!last) {
          await expect.poll(() => beyond(page, direction)).toBeGreaterThan(100);
          await stays();
        }
        await expect.poll(() => heightOf(page)).toBeLessThan(held * tallest);
        await stays();
        expect(await wrongFrames(page), about).toEqual([]);
      }
      expect(last).toBe(direction > 0);
    }
    await page.mouse.wheel(0, 100_000);
    await expect(ui.tool(`Read ${written - 1}`)).toBeInViewport();
  });
});

/** How much of the list there is above or below the view, in pixels. */
async function beyond(page: Page, direction: 1 | -1): Promise<number> {
  return direction < 0 ? (await look(page)).top : fromEnd(page);
}

async function heightOf(page: Page): Promise<number> {
  return page.getByRole('log').evaluate((log) => log.scrollHeight);
}

/** Holds back the pages that are asked for until they are released, which tells whether it was the last one down. */
async function heldPages(page: Page) {
  let gate = promised<void>();
  let asked = promised<void>();
  let answered = promised<boolean>();
  gate.resolve();
  await page.route('**/api/Page', async (route) => {
    asked.resolve();
    await gate.promise;
    const response = await route.fetch();
    const { hasAfter } = (await response.json()) as { hasAfter: boolean };
    await route.fulfill({ response });
    answered.resolve(!hasAfter);
  });
  return {
    hold() {
      gate = promised();
      asked = promised();
      answered = promised();
    },
    asked: () => asked.promise,
    release() {
      gate.resolve();
      return answered.promise;
    },
  };
}

function promised<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
