import type { Page } from '@playwright/test';
import { said as output, yesOrNo } from './support/puppet';
import { expect, test } from './support/test';

// What a screen reader is told, by the live regions of the page: requests, ends and failures, once each, and no flood of what streams.

interface Heard {
  region: number;
  at: number;
  text: string;
}

/** Notes each change of each region that speaks. */
async function listen(page: Page): Promise<() => Promise<Heard[]>> {
  await page.evaluate(() => {
    const heard: Heard[] = [];
    const regions: Element[] = [];
    const of = (node: Node) =>
      (node instanceof Element ? node : node.parentElement)?.closest('[aria-live=polite][data-says]') ?? null;
    new MutationObserver((changes) => {
      const changed = new Set(changes.map(({ target }) => of(target)));
      for (const region of changed) {
        if (region === null || region.textContent === '') continue;
        if (!regions.includes(region)) regions.push(region);
        heard.push({
          region: regions.indexOf(region),
          at: performance.now(),
          text: region.textContent ?? '',
        });
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    Object.assign(window, { heard });
  });
  return () => page.evaluate(() => (window as unknown as { heard: Heard[] }).heard);
}

test('requests, ends and failures are said once each, and streaming does not flood', async ({
  weft,
  page,
  ui,
}) => {
  const { puppet, space } = await weft.puppet('Robin');
  await weft.call('UpdateSpace', { spaceId: space.id, title: 'Apples' });
  await weft.open(page);
  await expect(ui.composer).toBeVisible();
  const heard = await listen(page);
  const texts = async () => (await heard()).map(({ text }) => text);
  const times = async (what: RegExp) => (await texts()).join('\n').match(new RegExp(what, 'g'))?.length ?? 0;

  await ui.send('Go through all baskets');
  const first = await puppet.turn();
  for (let n = 0; n < 40; n++) {
    first.say(`Basket ${n}. `);
    first.did({ toolCallId: `${n}`, title: `Read ${n}.txt`, kind: 'read', content: [output('1')] });
  }
  await expect.poll(() => times(/Basket 38/)).toBe(1);
  first.end();
  await ui.idle();
  await expect.poll(() => times(/The agent finished\./)).toBe(1);

  await ui.send('Run it');
  const second = await puppet.turn();
  const ask = (id: string, line: string) =>
    second.ask({ toolCallId: id, title: line, kind: 'execute', rawInput: { command: line } }, yesOrNo);
  void ask('one', 'make juice');
  await expect.poll(() => times(/Robin needs permission: .*make juice.*Press Ctrl\+Shift\+J/)).toBe(1);
  for (const n of [1, 2, 3, 4, 5]) void ask(`more${n}`, `make juice ${n}`);
  await expect(ui.permissions).toHaveCount(6);
  await expect.poll(() => times(/5 requests need your answer/)).toBe(1);
  second.fail('The press is stuck.', -32603);
  await expect(ui.error).toBeVisible();
  await expect.poll(() => times(/Robin failed: .*The press is stuck\./)).toBe(1);

  // From the settings one hears of the space, and the same words are said again when it happens again.
  await ui.openSettings('Appearance');
  for (const n of [1, 2]) {
    await weft.call('SendPrompt', { spaceId: space.id, text: `Again ${n}` });
    const turn = await puppet.turn();
    turn.say('Done.');
    turn.end();
    await expect.poll(() => times(/Apples: Robin finished\./)).toBe(n);
    await weft.call('MarkSeen', { spaceId: space.id });
    await expect(ui.spaces.getByRole('button', { name: /^Finished/ })).toHaveCount(0);
  }

  const all = await heard();
  expect(await times(/make juice\W.*Press/)).toBe(1);
  for (const region of new Set(all.map((one) => one.region))) {
    const own = all.filter((one) => one.region === region);
    // A timer may be a few milliseconds before the clock that is compared with.
    for (const [i, { at }] of own.entries())
      if (i > 0) expect(at - (own[i - 1]?.at ?? 0)).toBeGreaterThan(2900);
  }
});
