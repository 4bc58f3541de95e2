/** What Chromium does while nothing happens: a long thread with a finished run is in view. */
import { entry, launch, open, openSpace } from './parts/chromium.mjs';
import { note, quick, row } from './parts/row.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const SECONDS = quick ? 5 : 20;

const weft = await serve();
const browser = await launch();
try {
  const long = await space(weft, 'Long');
  await prompt(weft, long, 'segments 5000');
  const { page, errors } = await open(browser, weft);
  await openSpace(page, 'Long');
  await page.waitForFunction(() => document.querySelectorAll('.tool-title').length > 3);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  // What was begun before ends: an entry in the list is painted, fences are colored, the rest is loaded.
  await still();
  await entry(page, 'Long').focus();
  await still();
  const atRest = await watched();
  // Whether frames are counted at all: something that moves.
  await page.evaluate(() => {
    document.body.animate([{ opacity: 0.99 }, { opacity: 1 }], {
      duration: 1000,
      iterations: Number.POSITIVE_INFINITY,
    });
  });
  const moving = await watched();
  row(
    `frames and layouts of a page at rest, ${SECONDS} s: a long thread in view`,
    `${atRest.frames} frames, ${atRest.layouts} layouts, ${atRest.styles} style changes (${moving.frames} frames where something moves)`,
    '',
    '0 frames',
    moving.frames > 0 && atRest.frames === 0,
  );
  for (const error of errors) note(error);

  async function counts() {
    const { metrics } = await cdp.send('Performance.getMetrics');
    const of = (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { layouts: of('LayoutCount'), styles: of('RecalcStyleCount') };
  }

  async function still() {
    for (let same = 0, last = ''; same < 4; ) {
      const now = JSON.stringify(await counts());
      same = now === last ? same + 1 : 0;
      last = now;
      await new Promise((done) => setTimeout(done, 500));
    }
  }

  /** What was drawn in a while, by the trace of the compositor. */
  async function watched() {
    const before = await counts();
    await browser.startTracing(page, { categories: ['cc', 'benchmark', 'viz'] });
    await new Promise((done) => setTimeout(done, SECONDS * 1000));
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const after = await counts();
    const frames = traceEvents.filter(({ name }) => name === 'Scheduler::BeginImplFrame').length;
    return { frames, layouts: after.layouts - before.layouts, styles: after.styles - before.styles };
  }
} finally {
  await browser.close();
  await weft.stop();
}
