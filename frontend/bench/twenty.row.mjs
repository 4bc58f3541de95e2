/**
 * Twenty spaces whose agents send 200 updates a second each, one of them on the screen of Chromium: is all of it there, and what does the page pay
 * against one that only adds the text of that space to plain nodes? In turns.
 */
import { goTo, launch, open } from './parts/chromium.mjs';
import { against, openFloor, perTen } from './parts/floor.mjs';
import { watchFrames } from './parts/frames.mjs';
import { note, quick, row, watchMachine } from './parts/row.mjs';
import { CATEGORIES, frames as framesOf } from './parts/trace.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const SPACES = 20;
const RATE = 200;
const rounds = quick ? 2 : 4;
const seconds = quick ? 3 : 5; // in each round

const weft = await serve();
const browser = await launch();
try {
  const ids = [];
  for (let i = 1; i <= SPACES; i++) ids.push(await space(weft, `Space ${i}.`));
  const quiet = await space(weft, 'Quiet.');
  const { page, errors } = await open(browser, weft, watchFrames);
  await goTo(page, ids[6]);
  await Promise.all(ids.map((id) => prompt(weft, id, `steady ${RATE} 1`))); // all that is needed was used once
  const times = [[], []];
  let lost = 0;
  const machine = watchMachine();
  for (let i = 0; i < rounds; i++) {
    await goTo(page, ids[6]);
    times[0].push(...(await streamed(page, 'frame')));
    await goTo(page, quiet);
    const plain = await openFloor(await browser.newContext(), weft, ids[6], watchFrames);
    times[1].push(...(await streamed(plain, 'floor')));
    await plain.close();
  }
  const load = machine();
  const { value, ok } = against(times[0], times[1], 95);
  row(
    `${SPACES} spaces at ${RATE} updates a second each, one of them shown in Chromium, against its text in plain nodes: main thread per frame`,
    `${value}; updates lost: ${lost === 0 ? 'none' : lost}; ${load}`,
    '≤ 1.5 ×; none',
    ok && lost === 0,
  );
  for (const error of errors) note(error);

  async function streamed(shown, called) {
    await browser.startTracing(shown, { categories: CATEGORIES });
    await Promise.all(ids.map((id) => prompt(weft, id, `steady ${RATE} ${seconds}`)));
    const trace = (await browser.stopTracing()).toString();
    for (const id of ids) lost += await missing(id);
    // A frame that comes late stands for several.
    return perTen(framesOf(trace, 'grew', called));
  }
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
