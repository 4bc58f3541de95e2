/**
 * A working day of eight hours, compressed: 20 spaces, two of which stream at any time. In an hour there are 24 turns, each of five minutes in
 * which an agent sends 20 updates a second: 6,000 updates, one tool call in ten of them. The agent sends them in two seconds and nobody waits
 * between turns, so all that happens in the day happens; only the time without events is left out. The user is there, too: in each hour the
 * page shows every space once, and reads back in it. After each hour it is measured what is held: by `weft serve` once it is at rest, by the page
 * after a forced collection.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { launch, open } from './parts/chromium.mjs';
import { note, quick, round, row } from './parts/row.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const HOURS = quick ? 4 : 8;
const SPACES = 20;
const TURNS = 24;
const WARM = 2; // hours
const TURN = 'steady 3000 2';
const MB = 1024 * 1024;
const most = 1; // MB an hour

// What the runtime of Go prints: the heap after each collection, and all goroutines now and then.
process.env.GODEBUG = 'gctrace=1,schedtrace=2000,scheddetail=1';
const heard = { heap: 0, forced: 0, counting: 0, goroutines: 0 };
const weft = await serve(undefined, listen);
const browser = await launch();
try {
  const ids = [];
  for (let i = 1; i <= SPACES; i++) ids.push(await space(weft, `Day ${i}`));
  const { page, errors } = await open(browser, weft);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');

  const samples = [];
  for (let hour = -WARM; hour <= HOURS; hour++) {
    // The hours before the first are for what is loaded once, and for what is kept of the last turns of each space.
    await Promise.all([0, 1].map((slot) => work(slot, hour)));
    await look();
    const sample = { ...(await held()), ...backend() };
    note(`hour ${hour}: ${JSON.stringify(sample)}`);
    if (hour >= 0) samples.push(sample);
  }

  const updates = (TURNS * 6000 * HOURS).toLocaleString('en');
  const grows = Object.entries({
    "Weft's heap after a collection": 'heap',
    "Weft's own memory at rest": 'own',
    "the page's heap after a collection": 'pageHeap',
  }).map(([what, name]) => [what, slope(samples.map((sample) => sample[name]))]);
  row(
    `${HOURS} simulated hours, ${SPACES} spaces, 2 streaming, ${updates} updates: growth of memory an hour`,
    grows.map(([what, mb]) => `${what} ${round(mb, 2)} MB`).join(', '),
    `≤ ${most} MB each`,
    grows.every(([, mb]) => mb <= most),
  );
  for (const error of errors) note(error);

  /** One of the two that stream. The turns go around the spaces. */
  async function work(slot, hour) {
    for (let turn = slot; turn < TURNS; turn += 2)
      await prompt(weft, ids[((hour + WARM) * TURNS + turn) % SPACES], TURN);
  }

  /** The user looks into each space, reads back, and returns to the first. */
  async function look() {
    for (const id of [...ids, ids[0]]) {
      await page.evaluate((to) => {
        location.hash = `#/space/${to}`;
      }, id);
      await page.locator('.composer-field').waitFor(); // an element that is handed to the bench is kept for it
      await page.evaluate(() => {
        const scroll = document.querySelector('.transcript-scroll');
        if (scroll !== null) scroll.scrollTop -= 3000;
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      });
    }
  }

  /** What the page holds. */
  async function held() {
    for (let i = 0; i < 3; i++) await cdp.send('HeapProfiler.collectGarbage');
    const { metrics } = await cdp.send('Performance.getMetrics');
    const one = (name) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    const rested = heard.forced;
    while (heard.forced < rested + 1) await new Promise((done) => setTimeout(done, 500));
    return {
      pageHeap: round(one('JSHeapUsedSize') / MB, 2),
      nodes: one('Nodes'),
      listeners: one('JSEventListeners'),
      documents: one('Documents'),
    };
  }
} finally {
  await browser.close();
  await weft.stop();
}

/** What Weft holds at rest. */
function backend() {
  const status = readFileSync(`/proc/${weft.pid}/status`, 'utf8');
  const kb = (field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN);
  const size = (folder, ours) =>
    readdirSync(folder)
      .filter(ours)
      .reduce((bytes, name) => bytes + statSync(join(folder, name)).size, 0);
  return {
    heap: heard.heap,
    own: round(kb('RssAnon') / 1024),
    goroutines: heard.goroutines,
    files: readdirSync(`/proc/${weft.pid}/fd`).length,
    threads: kb('Threads'),
    database: round(size(weft.data, (name) => name.startsWith('weft.db')) / MB),
    logs: round(size(join(weft.data, 'logs'), () => true) / MB, 2),
  };
}

function listen(line) {
  const collected = /->(\d+) MB, .* MB goal/.exec(line)?.[1];
  if (collected !== undefined) {
    heard.heap = Number(collected);
    if (line.includes('(forced)')) heard.forced++;
  } else if (line.startsWith('SCHED ')) {
    heard.goroutines = heard.counting || heard.goroutines;
    heard.counting = 0;
  } else if (/^\s+G\d+: status=/.test(line) && !/status=6\b/.test(line)) heard.counting++; // 6 is one that has ended
}

/** How much values grow from one to the next, by the line that fits them best. */
function slope(values) {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  let up = 0;
  let down = 0;
  for (const [i, value] of values.entries()) {
    up += (i - middle) * (value - mean);
    down += (i - middle) ** 2;
  }
  return up / down;
}
