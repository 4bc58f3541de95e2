/** Opening a very long space: from the click to its last screen, and how much memory the page needs for it. */
import { entry, launch, open, openSpace } from './parts/chromium.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const TURNS = 20;
const SEGMENTS = quick ? 1_000 : 5_000; // in each turn
const PAGES = 20;
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
    '',
    '≤ 200 ms',
    reached <= 200,
  );

  const heap = [['after opening', await memory(cdp)]];
  await scrollUp(page, PAGES);
  heap.push([`after scrolling up ${PAGES} pages`, await memory(cdp)]);
  await page.locator('.jump').click();
  await page.waitForFunction(atEnd, last);
  heap.push(['after returning', await memory(cdp)]);
  const most = Math.max(...heap.map(([, bytes]) => bytes));
  row(
    'frontend heap of that space',
    `${round(most / 2 ** 20)} MB (${heap.map(([when, bytes]) => `${round(bytes / 2 ** 20)} ${when}`).join(', ')})`,
    '',
    '≤ 60 MB',
    most <= 60 * 2 ** 20,
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

/** In the page: whether the end of the space is in view again. */
function atEnd(last) {
  const list = document.querySelector('.transcript-scroll');
  const end = list.scrollHeight - list.clientHeight - list.scrollTop < 8;
  return (
    end && [...list.querySelectorAll('.tool-title')].some(({ textContent }) => textContent.endsWith(last))
  );
}

/** Scrolls up until so many pages have been pulled. */
async function scrollUp(page, pages) {
  let pulled = 0;
  page.on('response', (response) => {
    if (response.url().endsWith('/api/Page')) pulled++;
  });
  await page.locator('.transcript-scroll').hover();
  while (pulled < pages) {
    const before = pulled;
    await page.mouse.wheel(0, -100_000);
    await page.waitForFunction(() => document.querySelector('.transcript-scroll').scrollTop > 0 || true);
    while (pulled === before) await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

async function taskTime(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
}

/** Bytes that the page's scripts hold, after what is garbage has gone. */
async function memory(cdp) {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return usedSize;
}
