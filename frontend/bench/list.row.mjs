/** A list of 2,000 spaces of which twenty stream: what the first screen costs, what the page pays per frame, and how quickly the list scrolls. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { idle, launch, open } from './parts/chromium.mjs';
import { watchFrames } from './parts/frames.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
import { prompt, serve, space } from './parts/weft.mjs';
import { CATEGORIES, frames as framesOf } from './trace.mjs';

const SPACES = 2000;
const PROJECTS = 40;
const STREAMING = 20;
const RATE = 200;
const seconds = quick ? 5 : 20;

const weft = await serve();
const browser = await launch();
try {
  const ids = [];
  for (let i = 1; i <= STREAMING; i++) ids.push(await space(weft, `Stream ${i}.`));
  await Promise.all(ids.map((id) => prompt(weft, id, `steady ${RATE} 1`))); // all that is needed was used once
  const { page, errors } = await open(browser, weft, watchFrames);
  const alone = await perTurn(page, ids);
  await fill();
  await firstScreen();
  await page.reload();
  const among = await perTurn(page, ids);
  row(
    `main thread for a turn of one of ${STREAMING} spaces, in a list of ${SPACES} and in a list of these alone`,
    `${round(among / alone, 2)} × (${round(among)} and ${round(alone)} ms of processor time)`,
    '',
    '≤ 2 ×',
    among <= 2 * alone,
  );
  await Promise.all(ids.map((id) => prompt(weft, id, 'segments 2'))); // they are on top
  // The others may be out of view.
  await page.locator('.space-button').first().click();
  await page.waitForSelector('.composer-field');
  await page.waitForFunction(
    (all) => Number(document.querySelector('.sidebar-list li')?.getAttribute('aria-setsize')) > all,
    SPACES,
  );
  const streams = await perFrame(page, async () => {
    await Promise.all(ids.map((id) => prompt(weft, id, `steady ${RATE} ${seconds}`)));
    await idle(page);
  });
  tell(`${SPACES} spaces in the list, ${STREAMING} of them streaming`, streams, 8);

  const scrolled = await perFrame(page, () => scroll(page));
  tell(`${SPACES} spaces in the list, scrolled from one end to the other`, scrolled, 16);
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}

/** Makes spaces in the folders of some projects. */
async function fill() {
  for (let i = 0; i < SPACES - STREAMING; i += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, k) => {
        const n = i + k;
        const folder = join(weft.work, `project-${n % PROJECTS}`);
        mkdirSync(folder, { recursive: true });
        return weft.call('CreateSpace', {
          agentId: 'bench',
          folder,
          title: `Look into part ${n} of the parser`,
        });
      }),
    );
  }
}

/** What the page pays for a turn that begins and ends: its events change the order of the list. The other spaces have turns at the same time. */
async function perTurn(page, ids) {
  const rounds = quick ? 10 : 30;
  await page.waitForSelector('.composer-field');
  const { times } = await perFrame(page, async () => {
    for (let i = 0; i < rounds; i++) await Promise.all(ids.map((id) => prompt(weft, id, 'segments 2')));
    await idle(page);
  });
  return times.reduce((sum, busy) => sum + busy, 0) / (rounds * ids.length);
}

/** What Bootstrap has and takes, with its way over HTTP. */
async function firstScreen() {
  const times = [];
  let bytes = 0;
  const machine = watchMachine();
  for (let i = 0; i < (quick ? 10 : 40); i++) {
    const began = performance.now();
    bytes = JSON.stringify(await weft.call('Bootstrap')).length;
    times.push(performance.now() - began);
  }
  const reached = percentile(times, 50);
  row(
    `Bootstrap with ${SPACES} spaces`,
    `${round(bytes / 1024, 0)} KB, ${round(reached)} ms (median of ${times.length}, longest ${round(percentile(times, 100))}; ${machine()})`,
    '',
    '≤ 200 KB, ≤ 15 ms',
    bytes <= 200 * 1024 && reached <= 15,
  );
}

/** The processor time of the main thread in each frame while something is done. */
async function perFrame(page, work) {
  await browser.startTracing(page, { categories: CATEGORIES });
  await page.evaluate(() => {
    window.__frames.length = 0;
  });
  const machine = watchMachine();
  await work();
  const load = machine();
  return { times: framesOf((await browser.stopTracing()).toString()).map(({ busy }) => busy), load };
}

function tell(what, { times, load }, most) {
  const reached = percentile(times, 95);
  row(
    `${what}: main thread per frame, p95`,
    `${round(reached)} ms of processor time (p50 ${round(percentile(times, 50))}, longest ${round(percentile(times, 100))}, ${times.length} frames; ${load})`,
    '',
    `≤ ${most} ms`,
    reached <= most,
  );
}

async function scroll(page) {
  await page.locator('.sidebar-list').hover();
  for (const way of [1, -1]) {
    let before = -1;
    for (;;) {
      await page.mouse.wheel(0, way * 1500);
      const at = await page.evaluate(
        () =>
          new Promise((done) =>
            requestAnimationFrame(() => done(document.querySelector('.sidebar-list').scrollTop)),
          ),
      );
      if (at === before) break;
      before = at;
    }
  }
}
