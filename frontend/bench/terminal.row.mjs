/** A command that prints 100 MB into a live terminal in Chromium: what it costs in memory, and whether one can still write. */
import { readFileSync, writeFileSync } from 'node:fs';
import { idle, launch, open, openSpace } from './parts/chromium.mjs';
import { watchKeys } from './parts/keys.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
import { allow, prompt, serve, space } from './parts/weft.mjs';

const MB = quick ? 20 : 100;
const PACE = 80; // ms from key to key: a fast typist

const weft = await serve();
const browser = await launch();
try {
  const id = await space(weft, 'Flooded');
  const { page, errors } = await open(browser, weft, watchKeys);
  await openSpace(page, 'Flooded');
  await prompt(weft, id, 'command seq 1 200000', allow(weft, id)); // all that is needed was used once
  await idle(page);
  const before = memory(true);
  const heap = await heapOf(page);
  const machine = watchMachine();
  let over = false;
  const line = `yes 'a line of a build that says more than anybody reads, 0123456789' | head -c ${MB}000000; echo; echo the end`;
  const running = prompt(weft, id, `command ${line}`, allow(weft, id)).then(() => {
    over = true;
  });
  await page.locator('.composer-field').click();
  let typed = 0;
  while (!over) {
    await page.keyboard.type('a');
    typed += 1;
    await new Promise((resolve) => setTimeout(resolve, PACE));
  }
  await running;
  await idle(page);
  const load = machine();
  const grown = memory(false) - before;
  const times = await page.evaluate(() => window.__keys);
  const reached = percentile(times, 95);
  const heapNow = (await heapOf(page)) - heap;
  const what = `a command prints ${MB} MB into a terminal`;
  row(
    `${what}: growth of Weft's resident memory, at its peak`,
    `${round(grown, 0)} MB`,
    '',
    '< 64 MB',
    grown < 64,
  );
  row(`${what}: heap of the page, growth`, `${round(heapNow)} MB`, '', '< 20 MB', heapNow < 20);
  row(
    `${what}: typing meanwhile, input → painted, p95`,
    `${round(reached)} ms (p50 ${round(percentile(times, 50))}, longest ${round(percentile(times, 100))}, ${times.length} of ${typed} keys; ${load})`,
    '',
    '≤ 50 ms',
    reached <= 50 && times.length === typed,
  );
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}

/** The peak of Weft's resident memory in MB, since the last reset. */
function memory(reset) {
  const field = reset ? 'VmRSS' : 'VmHWM';
  if (reset) writeFileSync(`/proc/${weft.pid}/clear_refs`, '5');
  return (
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${weft.pid}/status`, 'utf8'))[1]) / 1024
  );
}

async function heapOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1024 / 1024;
}
