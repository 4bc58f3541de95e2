/** A long markdown answer, streamed through the whole app, in Chromium. */
import { answerFile } from './parts/answer.mjs';
import { idle, launch, open, openSpace } from './parts/chromium.mjs';
import { PARTS, partsOf } from './parts/cost.mjs';
import { against, openFloor } from './parts/floor.mjs';
import { watchFrames } from './parts/frames.mjs';
import { note, quick, round, row, sum, watchMachine } from './parts/row.mjs';
import { perTen, streamed } from './parts/streamed.mjs';
import { prompt, serve, space } from './parts/weft.mjs';
import { CATEGORIES, frames as framesOf } from './trace.mjs';

const length = quick ? 200_000 : 1_000_000;

const weft = await serve();
const browser = await launch();
try {
  const id = await space(weft, 'Streamed');
  const file = await answerFile(weft.data, length);
  const { page, errors } = await open(browser, weft, watchFrames);
  await openSpace(page, 'Streamed');
  await prompt(weft, id, `stream ${await answerFile(weft.data, 5_000)}`);
  await idle(page);
  await browser.startTracing(page, { categories: CATEGORIES });
  await page.evaluate(() => {
    window.__frames.length = 0;
  });
  const machine = watchMachine();
  await prompt(weft, id, `stream ${file}`);
  await idle(page);
  const load = machine();
  const frames = await page.evaluate(() => window.__frames);
  const times = framesOf((await browser.stopTracing()).toString(), 'grew');
  for (const line of streamed('Chromium', length, times, frames, load)) row(...line);
  await floor(page);
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}

/** The same text in Weft and in a page that only adds it to plain nodes, in turns; and what a frame costs, by part. */
async function floor(page) {
  const ids = [await space(weft, 'In turns'), await space(weft, 'Plain')];
  const file = await answerFile(weft.data, length / 16);
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
      // Without the categories of its parts: each event costs time, and the page with more of them more.
      await browser.startTracing(shown, { categories: CATEGORIES });
      await prompt(weft, ids[at], `stream ${file}`);
      times[at].push(...perTen(framesOf((await browser.stopTracing()).toString(), 'grew', called)));
    }
  }
  await page.bringToFront();
  await idle(page);
  const load = machine();
  const { value, ok } = against(times[0], times[1], 95);
  row(
    `streaming ${length / 4_000_000} MB of markdown in Chromium, against the same text in plain nodes: main thread per frame of ten pieces`,
    `${value}; ${load}`,
    '',
    '≤ 1.5 ×',
    ok,
  );
  await plain.close();
  await browser.startTracing(page, { categories: [...CATEGORIES, ...PARTS] });
  await prompt(weft, ids[0], `stream ${await answerFile(weft.data, 50_000)}`);
  await idle(page);
  const parts = [...partsOf((await browser.stopTracing()).toString()).times].sort((a, b) => b[1] - a[1]);
  const all = sum(parts.map(([, ms]) => ms));
  row(
    'a frame of streaming markdown in Chromium, by part: share of its processor time',
    parts.map(([part, ms]) => `${part} ${round((100 * ms) / all, 0)} %`).join(', '),
    '',
    '',
  );
}
