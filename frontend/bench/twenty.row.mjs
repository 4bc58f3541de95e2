/** Twenty spaces whose agents send 200 updates a second each, one of them on the screen of Chromium: is all of it there, and what does the page pay? */
import { idle, launch, open, openSpace } from './parts/chromium.mjs';
import { watchFrames } from './parts/frames.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
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
    '≤ 8 ms',
    reached <= 8,
  );
  row(`${what}: updates lost`, lost === 0 ? 'none' : `${lost}`, '', 'none', lost === 0);
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
