/** A long markdown answer, streamed through the whole app, in Chromium. */
import { answerFile } from './parts/answer.mjs';
import { idle, launch, open, openSpace } from './parts/chromium.mjs';
import { watchFrames } from './parts/frames.mjs';
import { note, quick, row, watchMachine } from './parts/row.mjs';
import { streamed } from './parts/streamed.mjs';
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
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}
