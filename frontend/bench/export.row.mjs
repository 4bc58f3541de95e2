/** Opening a web page that was exported from a very long space: from the address to the end of loading, and to the first screen. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from './parts/chromium.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
import { folder, prompt, serve, space } from './parts/weft.mjs';

const TURNS = 20;
const SEGMENTS = quick ? 1_000 : 5_000; // in each turn
const rounds = quick ? 3 : 5;

const weft = await serve();
const browser = await launch();
try {
  const id = await space(weft, 'Long');
  for (let i = 0; i < TURNS; i++) await prompt(weft, id, `segments ${SEGMENTS}`);
  const response = await fetch(`${weft.base}/api/spaces/${id}/export?format=html`, {
    headers: { Authorization: `Bearer ${weft.key}` },
  });
  if (!response.ok) throw new Error(await response.text());
  const file = join(folder(), 'long.html');
  const page = Buffer.from(await response.arrayBuffer());
  writeFileSync(file, page);
  note(`the page has ${round(page.length / 2 ** 20)} MB`);

  const machine = watchMachine();
  const loaded = [];
  const painted = [];
  for (let i = 0; i < rounds; i++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 832 }, offline: true });
    const tab = await context.newPage();
    await tab.goto(`file://${file}`, { waitUntil: 'load', timeout: 120_000 });
    const times = await tab.evaluate(() => ({
      load: performance.getEntriesByType('navigation')[0].loadEventEnd,
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    }));
    loaded.push(times.load);
    painted.push(times.paint);
    await context.close();
  }
  const reached = percentile(loaded, 50);
  row(
    `opening an exported page of ${(TURNS * SEGMENTS).toLocaleString('en')} segments in Chromium, until all of it is loaded`,
    `${round(reached, 0)} ms (median of ${rounds}, longest ${round(percentile(loaded, 100), 0)}; first screen after ${round(percentile(painted, 50), 0)} ms; ${machine()})`,
    '',
    '≤ 2 s',
    reached <= 2000,
  );
} finally {
  await browser.close();
  await weft.stop();
}
