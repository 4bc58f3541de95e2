/** Twenty spaces whose agents send 200 updates a second each, one of them on the screen of Chromium: is all of it there, and what does the page pay? */
import { goTo, idle, launch, open, openSpace } from './parts/chromium.mjs';
import { against, openFloor } from './parts/floor.mjs';
import { watchFrames } from './parts/frames.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
import { perTen } from './parts/streamed.mjs';
import { prompt, serve, space } from './parts/weft.mjs';
import { CATEGORIES, frames as framesOf } from './trace.mjs';

const SPACES = 20;
const RATE = 200;
const seconds = quick ? 5 : 20;

const weft = await serve();
const browser = await launch();
try {
  const ids = [];
  for (let i = 1; i <= SPACES; i++) ids.push(await space(weft, `Space ${i}.`));
  const { page, errors } = await open(browser, weft, watchFrames);
  await openSpace(page, 'Space 7.');
  await Promise.all(ids.map((id) => prompt(weft, id, `steady ${RATE} 1`))); // all that is needed was used once
  await idle(page);
  await browser.startTracing(page, { categories: CATEGORIES });
  await page.evaluate(() => {
    window.__frames.length = 0;
  });
  const machine = watchMachine();
  await Promise.all(ids.map((id) => prompt(weft, id, `steady ${RATE} ${seconds}`)));
  const load = machine();
  await idle(page);
  const times = framesOf((await browser.stopTracing()).toString()).map(({ busy }) => busy);
  const reached = percentile(times, 95);
  let lost = 0;
  for (const id of ids) lost += await missing(id);
  const what = `${SPACES} spaces at ${RATE} updates a second each`;
  row(
    `${what}, one of them shown in Chromium: main thread per frame, p95`,
    `${round(reached)} ms of processor time (p50 ${round(percentile(times, 50))}, longest ${round(percentile(times, 100))}, ${times.length} frames; ${load})`,
    '',
    '≤ 6 ms',
    reached <= 6,
  );
  row(`${what}: updates lost`, lost === 0 ? 'none' : `${lost}`, '', 'none', lost === 0);
  await floor(page, ids);
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}

/** How many of the updates of a space's last message are not in the store, as it gives the message back. */
async function missing(spaceId) {
  const { page } = await weft.call('OpenSpace', { spaceId });
  const { id: messageId } = page.messages.at(-1);
  const blocks = await weft.call('MessageBlocks', { spaceId, messageId });
  const text = blocks.map(({ text }) => text ?? '').join('');
  const calls = blocks.filter(({ type }) => type === 'tool_use').length;
  const results = blocks.filter(({ type }) => type === 'tool_result').length;
  return RATE * seconds - (text.match(/@\d+ /g) ?? []).length - calls - results;
}

/** The shown space in Weft and in a page that only adds its text to plain nodes, in turns, while all of them stream. */
async function floor(page, ids) {
  const rounds = quick ? 2 : 4;
  const quiet = await space(weft, 'Quiet.');
  const times = [[], []];
  const machine = watchMachine();
  for (let i = 0; i < rounds; i++) {
    await goTo(page, ids[6]);
    times[0].push(...(await frame(page, 'frame')));
    await goTo(page, quiet);
    const plain = await openFloor(await browser.newContext(), weft, ids[6], watchFrames);
    times[1].push(...(await frame(plain, 'floor')));
    await plain.close();
  }
  const { value, ok } = against(times[0], times[1], 95);
  row(
    `${SPACES} spaces at ${RATE} updates a second each, one of them shown in Chromium, against its text in plain nodes: main thread per frame`,
    `${value}; ${machine()}`,
    '',
    '≤ 1.5 ×',
    ok,
  );

  async function frame(shown, called) {
    await browser.startTracing(shown, { categories: CATEGORIES });
    await Promise.all(ids.map((id) => prompt(weft, id, `steady ${RATE} ${Math.ceil(seconds / rounds)}`)));
    const trace = (await browser.stopTracing()).toString();
    // A frame that comes late stands for several.
    return perTen(framesOf(trace, 'grew', called));
  }
}
