/**
 * Writing in the composer while an agent says as much as is taken: from the key to the painted letter. The same keys, and as much text, in Weft and
 * in a page that only adds the text to plain nodes, in turns.
 */
import { launch, open, openSpace } from './parts/chromium.mjs';
import { against, openFloor } from './parts/floor.mjs';
import { watchKeys } from './parts/keys.mjs';
import { note, quick, row, watchMachine } from './parts/row.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const rounds = 4;
const keys = quick ? 15 : 50; // in each round
const PACE = 80; // ms from key to key: a fast typist

const weft = await serve();
const browser = await launch();
try {
  const ids = [await space(weft, 'Flooded'), await space(weft, 'Plain')];
  const { page, errors } = await open(browser, weft, watchKeys);
  await openSpace(page, 'Flooded');
  const plain = await openFloor(await browser.newContext(), weft, ids[1], watchKeys);
  const pages = [page, plain];
  for (const at of pages.keys()) await typed(at); // what is loaded once is there then
  const times = [[], []];
  const machine = watchMachine();
  for (let i = 0; i < rounds; i++) for (const at of pages.keys()) times[at].push(...(await typed(at)));
  const load = machine();
  const { value, ok } = against(times[0], times[1], 95);
  row(
    'typing while an agent floods, in Chromium, against a plain field beside plain text: input → painted',
    `${value}; ${load}`,
    '≤ 1.5 ×',
    ok,
  );
  for (const error of errors) note(error);

  /** How long each key took to the end of the frame that paints it, in ms. */
  async function typed(at) {
    const field = pages[at].locator('.composer-field');
    await pages[at].evaluate(() => {
      window.__keys.length = 0;
    });
    await field.fill('');
    const running = prompt(weft, ids[at], `flood ${(keys * PACE) / 1000 + 8}`);
    await field.click();
    await pages[at].keyboard.type('words to say '.repeat(20).slice(0, keys), { delay: PACE });
    await pages[at].waitForFunction((keys) => window.__keys.length >= keys, keys);
    const all = await pages[at].evaluate(() => window.__keys);
    if ((await field.inputValue()).length !== keys) throw new Error('a letter is missing in the field');
    await weft.call('StopRun', { spaceId: ids[at] });
    await running;
    return all;
  }
} finally {
  await browser.close();
  await weft.stop();
}
