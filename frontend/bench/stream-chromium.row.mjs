/** A long markdown answer, streamed through the whole app, in Chromium: does a frame cost more at its end, and what is it against plain nodes? */
import { answerFile } from './parts/answer.mjs';
import { idle, launch, open, openSpace } from './parts/chromium.mjs';
import { against, openFloor, perTen } from './parts/floor.mjs';
import { watchFrames } from './parts/frames.mjs';
import { note, quick, round, row, sum, watchMachine } from './parts/row.mjs';
import { CATEGORIES, frames as framesOf } from './parts/trace.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const length = quick ? 200_000 : 1_000_000;

const weft = await serve();
const browser = await launch();
try {
  const id = await space(weft, 'Streamed');
  const { page, errors } = await open(browser, weft, watchFrames);
  await openSpace(page, 'Streamed');
  await prompt(weft, id, `stream ${await answerFile(weft.data, 5_000)}`); // the agent and the code are warm then
  await idle(page);
  const machine = watchMachine();
  const times = (await streamed(page, id, length)).map(({ busy }) => busy);
  const load = machine();
  const quarters = [0, 1, 2, 3].map((i) => quarter(times, i));
  const ratio = quarters[3] / quarters[0];
  row(
    `streaming ${length / 1_000_000} MB of markdown in Chromium: main thread, last quarter against the first`,
    `${round(ratio, 2)} × (${quarters.map((time) => round(time / 1000, 2)).join(', ')} s of processor time; ${load})`,
    '≤ 1.3 ×',
    ratio <= 1.3,
  );
  await floor(page);
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}

/** Streams an answer; returns the frames of a page that changed something. */
async function streamed(page, id, length, called) {
  const file = await answerFile(weft.data, length);
  await browser.startTracing(page, { categories: CATEGORIES });
  await prompt(weft, id, `stream ${file}`);
  if (called === undefined) await idle(page);
  return framesOf((await browser.stopTracing()).toString(), 'grew', called);
}

function quarter(times, i) {
  const size = Math.ceil(times.length / 4);
  return sum(times.slice(i * size, (i + 1) * size));
}

/** The same text in Weft and in a page that only adds it to plain nodes, in turns. */
async function floor(page) {
  const ids = [await space(weft, 'In turns'), await space(weft, 'Plain')];
  await openSpace(page, 'In turns');
  await prompt(weft, ids[0], `stream ${await answerFile(weft.data, 5_000)}`);
  await idle(page);
  const plain = await openFloor(await browser.newContext(), weft, ids[1], watchFrames);
  const times = [[], []];
  const machine = watchMachine();
  for (let i = 0; i < 4; i++) {
    for (const [at, [shown, called]] of [
      [page, 'frame'],
      [plain, 'floor'],
    ].entries()) {
      // Only a page in front draws each frame for sure.
      await shown.bringToFront();
      times[at].push(...perTen(await streamed(shown, ids[at], length / 16, called)));
    }
  }
  const load = machine();
  const { value, ok } = against(times[0], times[1], 95);
  row(
    `streaming ${length / 4_000_000} MB of markdown in Chromium, against the same text in plain nodes: main thread per frame of ten pieces`,
    `${value}; ${load}`,
    '≤ 1.5 ×',
    ok,
  );
}
