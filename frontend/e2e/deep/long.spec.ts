import { chunk, toolCall } from '../support/puppet';
import { expect, test } from '../support/test';

const segments = 100_000;
const perTurn = 20_000;

test.describe('a space of 100 000 segments', () => {
  test.setTimeout(120_000);

  test('opens at its end at once, and pages what is above', async ({ weft, page, ui, browser }) => {
    const { puppet, space } = await weft.puppet();
    await weft.call('UpdateSpace', { spaceId: space.id, title: 'Long' });
    await weft.space('guide', 'Short');
    for (let done = 0; done < segments; ) {
      await weft.call('SendPrompt', { spaceId: space.id, text: `from ${done}` });
      const turn = await puppet.turn();
      for (const end = done + perTurn; done < end; ) {
        const updates: object[] = [];
        for (let i = 0; i < 1000; i++, done++) {
          const even = done % 2 === 0;
          if (even) updates.push(chunk(`Segment ${done} says a line or so about apples.`));
          else
            updates.push(
              toolCall({ toolCallId: `t${done}`, title: `Read ${done}`, kind: 'read', status: 'completed' }),
            );
        }
        turn.updates(updates);
      }
      turn.end();
      await expect
        .poll(async () => (await weft.call('OpenSpace', { spaceId: space.id })).runs, { timeout: 60_000 })
        .toEqual([]);
    }

    await weft.open(page);
    await ui.spaces.getByRole('button', { name: /Short/ }).first().click();
    await expect(page.getByRole('heading', { name: 'What should Guide do?' })).toBeVisible();
    // How long it takes is measured by `make bench`.
    await ui.spaces.getByRole('button', { name: /Long/ }).first().click();
    await expect(ui.tool('Read 99999')).toBeInViewport();

    // Up by many pages: older parts come, nothing is missing, the list stays small.
    await ui.transcript.hover();
    let lowest = segments;
    for (let i = 0; i < 400 && lowest > segments - 1500; i++) {
      await page.mouse.wheel(0, -2500);
      const numbers = await visible(page);
      expect(numbers.length).toBeGreaterThan(1);
      numbers.forEach((n, at) => {
        if (at > 0) expect(n).toBe((numbers[at - 1] ?? 0) + 1);
      });
      lowest = Math.min(lowest, numbers[0] ?? lowest);
    }
    expect(lowest).toBeLessThanOrEqual(segments - 1500);
    expect(await ui.transcript.locator('.row').count()).toBeLessThan(200);
    await page
      .getByRole('button', { name: 'New messages' })
      .or(page.getByRole('button', { name: 'Go to latest' }))
      .click();
    await expect(ui.tool('Read 99999')).toBeInViewport();

    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    test.info().annotations.push({
      type: 'figures',
      description: `heap ${Math.round(usedSize / 1e6)} MB, ${browser.version()}`,
    });
    expect(usedSize).toBeLessThan(60e6);
  });
});

/** The numbers of the segments that are drawn, from top to bottom. */
async function visible(page: import('@playwright/test').Page): Promise<number[]> {
  return page.getByRole('log').evaluate((log) => {
    const rows = [...log.querySelectorAll<HTMLElement>('.row')].filter(
      (row) => getComputedStyle(row.parentElement ?? row).visibility !== 'hidden',
    );
    return rows.flatMap((row) => {
      const found = /(?:Segment|Read) (\d+)/.exec(row.textContent ?? '')?.[1];
      return found === undefined ? [] : [Number(found)];
    });
  });
}
