/** Opening a very long space: from the click to its last screen. How much memory the page needs for it is held by `e2e/deep/long.spec.ts`. */
import { entry, launch, open, openSpace } from './parts/chromium.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const TURNS = 20;
const SEGMENTS = quick ? 1_000 : 5_000; // in each turn
const rounds = quick ? 3 : 7;

const weft = await serve();
const browser = await launch();
try {
  const long = await space(weft, 'Long');
  for (let i = 0; i < TURNS; i++) await prompt(weft, long, `segments ${SEGMENTS}`);
  const short = await space(weft, 'Short');
  await prompt(weft, short, 'segments 2');
  const last = `page-${SEGMENTS - 1}.md`;

  const machine = watchMachine();
  const times = [];
  const busy = [];
  const { page, errors } = await open(browser, weft);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  for (let i = 0; i < rounds; i++) {
    await page.evaluate(() => {
      // Without its secret the page would not be let in again.
      for (const key of Object.keys(localStorage)) if (key !== 'weft.page') localStorage.removeItem(key);
    });
    await page.reload(); // nothing of the space is held then
    await openSpace(page, 'Short');
    await page.evaluate(watchOpening, last);
    const before = await taskTime(cdp);
    await entry(page, 'Long').click();
    await page.waitForFunction(() => window.__opened !== undefined);
    times.push(await page.evaluate(() => window.__opened));
    busy.push((await taskTime(cdp)) - before);
  }
  const load = machine();
  const reached = percentile(times, 50);
  const total = (TURNS * SEGMENTS).toLocaleString('en');
  row(
    `opening a space of ${total} segments in Chromium: click → last screen painted`,
    `${round(reached, 0)} ms (median of ${rounds}, longest ${round(percentile(times, 100), 0)}; main thread busy ${round(percentile(busy, 50), 0)} ms; ${load})`,
    '≤ 200 ms',
    reached <= 200,
  );
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}

/** In the page: from the next click to when the last row is within the view and painted. */
function watchOpening(last) {
  let began = 0;
  addEventListener(
    'click',
    (event) => {
      began = event.timeStamp;
    },
    { capture: true, once: true },
  );
  const over = new MessageChannel();
  over.port1.onmessage = () => {
    window.__opened = performance.now() - began;
  };
  const look = () => {
    const list = began > 0 ? document.querySelector('.transcript-scroll') : null;
    const rows = list === null ? [] : [...list.querySelectorAll('.tool-title')];
    const row = rows.findLast(({ textContent }) => textContent.endsWith(last));
    // The other space is short: its list does not scroll.
    if (row === undefined || list.scrollHeight < list.clientHeight * 2) return requestAnimationFrame(look);
    const { top, bottom } = row.getBoundingClientRect();
    const view = list.getBoundingClientRect();
    if (top < view.top || bottom > view.bottom) return requestAnimationFrame(look);
    // What is there as this frame begins was painted with the one before; this one comes on top.
    over.port2.postMessage(null);
  };
  requestAnimationFrame(look);
}

async function taskTime(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
}
