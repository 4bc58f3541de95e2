/** From an agent's write to the painted frame, in Chromium, at a pace that is usual for a busy agent. */
import { idle, launch, open, openSpace } from './parts/chromium.mjs';
import { watchTokens } from './parts/painted.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const TEXT = 50;
const TOOLS = 10;
const seconds = quick ? 8 : 20;

const weft = await serve();
const browser = await launch();
try {
  const id = await space(weft, 'Paced');
  const { page, errors } = await open(browser, weft, watchTokens);
  await openSpace(page, 'Paced');
  await prompt(weft, id, `pace ${TEXT} ${TOOLS} 1`); // the agent and the code are warm then
  await idle(page);
  await page.evaluate(() => {
    window.__painted.length = 0;
  });
  const machine = watchMachine();
  await prompt(weft, id, `pace ${TEXT} ${TOOLS} ${seconds}`);
  const load = machine();
  await idle(page);
  const all = await page.evaluate(() => window.__painted);
  const text = all.filter(({ kind }) => kind === 'w');
  const tools = all.filter(({ kind }) => kind !== 'w');
  const ids = all.map(({ id }) => id);
  const missing = Math.max(...ids) - Math.min(...ids) + 1 - all.length;
  const [textTimes, toolTimes] = [text, tools].map((list) => list.map(({ written, at }) => at - written));
  const [p95, p99] = [percentile(textTimes, 95), percentile(toolTimes, 99)];
  const lost = missing === 0 ? '' : `, ${missing} never seen`;
  row(
    "agent's write → painted in Chromium: text, p95; tool events, p99",
    `${figures(p95, textTimes)}; ${figures(p99, toolTimes)}${lost}; ${load}`,
    '≤ 50 ms; ≤ 100 ms',
    missing === 0 && p95 <= 50 && p99 <= 100,
  );
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}

function figures(reached, times) {
  return `${round(reached)} ms (p50 ${round(percentile(times, 50))}, longest ${round(percentile(times, 100))}, of ${times.length})`;
}
