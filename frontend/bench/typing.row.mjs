/** Writing in the composer while an agent says as much as is taken: from the key to the painted letter. */
import { launch, open, openSpace } from './parts/chromium.mjs';
import { against, openFloor } from './parts/floor.mjs';
import { watchKeys } from './parts/keys.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const keys = quick ? 60 : 200;
const PACE = 80; // ms from key to key: a fast typist

const weft = await serve();
const browser = await launch();
try {
  const id = await space(weft, 'Flooded');
  const { page, errors } = await open(browser, weft, watchKeys);
  await openSpace(page, 'Flooded');
  const running = prompt(weft, id, `flood ${(keys * PACE) / 1000 + 8}`);
  await page.waitForSelector('.prose');
  await page.locator('.composer-field').click();
  const machine = watchMachine();
  await page.keyboard.type('all the words that a person has to say '.repeat(10).slice(0, keys), {
    delay: PACE,
  });
  await page.waitForFunction((keys) => window.__keys.length >= keys, keys);
  const load = machine();
  const times = await page.evaluate(() => window.__keys);
  const written = await page.locator('.composer-field').inputValue();
  await weft.call('StopRun', { spaceId: id });
  await running;
  const reached = percentile(times, 95);
  row(
    'typing while an agent floods, in Chromium: input → painted, p95',
    `${round(reached)} ms (p50 ${round(percentile(times, 50))}, longest ${round(percentile(times, 100))}, ${times.length} keys; ${load})`,
    '',
    '≤ 33 ms',
    reached <= 33 && written.length === keys,
  );
  await floor(page);
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}

/** The same keys, and as much text, in Weft and in a page that only adds the text to plain nodes, in turns. */
async function floor(page) {
  const rounds = 4;
  const id = await space(weft, 'Flooded, too');
  const ids = [id, await space(weft, 'Plain')];
  await openSpace(page, 'Flooded, too');
  const plain = await openFloor(await browser.newContext(), weft, ids[1], watchKeys);
  const times = [[], []];
  const machine = watchMachine();
  for (let i = 0; i < rounds; i++) {
    for (const [at, one] of [page, plain].entries()) {
      const count = Math.ceil(keys / rounds);
      await one.evaluate(() => {
        window.__keys.length = 0;
      });
      const running = prompt(weft, ids[at], `flood ${(count * PACE) / 1000 + 8}`);
      await one.locator('.composer-field').click();
      await one.keyboard.type('words to say '.repeat(20).slice(0, count), { delay: PACE });
      await one.waitForFunction((count) => window.__keys.length >= count, count);
      times[at].push(...(await one.evaluate(() => window.__keys)));
      await weft.call('StopRun', { spaceId: ids[at] });
      await running;
    }
  }
  const { value, ok } = against(times[0], times[1], 95);
  row(
    'typing while an agent floods, in Chromium, against a plain field beside plain text: input → painted',
    `${value}; ${machine()}`,
    '',
    '≤ 1.5 ×',
    ok,
  );
}
