/**
 * Draws hostile texts in the whole window in Chromium and prints the longest tasks. Usage:
 *
 *   node bench/hostile.mjs [--seconds 60] [--seed 1] [--surface answer] [--size 4000] [--text file] [--no-build]
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { serve } from './serve.mjs';
import { CATEGORIES } from './trace.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    surface: { type: 'string' },
    size: { type: 'string' },
    text: { type: 'string' },
    unit: { type: 'string' },
    length: { type: 'string' },
    shot: { type: 'string' },
    dist: { type: 'string' },
    'no-build': { type: 'boolean', default: false },
    trace: { type: 'string' },
    raw: { type: 'boolean', default: false },
    list: { type: 'string' },
    grammars: { type: 'boolean', default: false },
    above: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
if (!values['no-build'])
  await build({ configFile: fileURLToPath(new URL('vite.config.ts', import.meta.url)), logLevel: 'error' });
const REFERENCE = 12;
const server = await serve(values.dist);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 832 } });
page.on('pageerror', (error) => process.stdout.write(`${error.stack}\n`));
await page.goto(`${server.url}/hostile.html`);
await page.waitForSelector('html[data-ready]');
const { PARTS } = await import('./parts/cost.mjs');
async function run(surface, text, size) {
  try {
    return await runOnce(surface, text, size);
  } catch (e) {
    process.stdout.write(`${surface}: ${String(e).slice(0, 200)}\n`);
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    return [0];
  }
}
async function runOnce(surface, text, size) {
  await browser.startTracing(page, {
    categories: values.trace ? [...CATEGORIES, ...PARTS, 'disabled-by-default-v8.cpu_profiler'] : CATEGORIES,
  });
  await page.evaluate(([s, t, n]) => window.__hostile(s, t, n), [surface, text, size]);
  const raw = (await browser.stopTracing()).toString();
  if (values.trace) (await import('node:fs')).writeFileSync(values.trace, raw);
  return tasks(raw);
}
function tasks(raw) {
  const { traceEvents } = JSON.parse(raw);
  const mark = (name) => traceEvents.find((e) => e.cat.includes('blink.user_timing') && e.name === name);
  const begin = mark('hostile-begin');
  const end = mark('hostile-end');
  const refs = traceEvents
    .filter((e) => e.cat.includes('blink.user_timing') && e.name === 'hostile-reference')
    .map(
      (m) =>
        traceEvents.find(
          (e) =>
            e.name === 'ThreadControllerImpl::RunTask' &&
            e.ph === 'X' &&
            e.pid === begin.pid &&
            e.tid === begin.tid &&
            e.ts <= m.ts &&
            e.ts + e.dur >= m.ts,
        )?.tdur / 1000,
    );
  const slow = Math.max(1, Math.min(...refs) / REFERENCE);
  const all = traceEvents
    .filter(
      (e) =>
        e.name === 'ThreadControllerImpl::RunTask' &&
        e.ph === 'X' &&
        e.pid === begin.pid &&
        e.tid === begin.tid &&
        e.ts >= begin.ts &&
        e.ts <= end.ts,
    )
    .map((e) => [e.tdur / 1000, e.dur / 1000]);
  all.sort((a, b) => b[0] - a[0]);
  if (values.raw) process.stdout.write(`refs ${refs.map((x) => x.toFixed(1))} `);
  return all.slice(0, 5).map(([cpu]) => Math.round(cpu / slow));
}
try {
  if (values.unit !== undefined || values.text !== undefined) {
    const unit =
      values.unit === undefined ? readFileSync(values.text, 'utf8') : JSON.parse(`"${values.unit}"`);
    const length = Number(values.length ?? unit.length);
    const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
    for (const surface of values.surface?.split('|') ?? (await page.evaluate(() => window.__surfaces)))
      process.stdout.write(
        `${surface}: ${(await run(surface, text, Number(values.size ?? 4000))).join(' ')}\n`,
      );
    if (values.shot) await page.screenshot({ path: values.shot });
  }
  const surfaceList =
    values.surface === 'all'
      ? await page.evaluate(() => window.__surfaces)
      : (values.surface?.split('|') ?? ['answer']);
  if (values.list !== undefined) {
    for (const [name, text] of JSON.parse(readFileSync(values.list, 'utf8')))
      for (const surface of surfaceList) {
        const one = await run(surface, text, Number(values.size ?? 4000));
        if (one[0] < Number(values.above ?? 0)) continue;
        const two = await run(surface, text, Number(values.size ?? 4000));
        process.stdout.write(`${surface} ${name}: ${one.map((n, i) => Math.min(n, two[i])).join(' ')}\n`);
      }
  }
  if (values.grammars) {
    const all = await page.evaluate((n) => window.__grammars(n), Number(values.length ?? 60000));
    for (const surface of surfaceList)
      for (const [name, text] of all) {
        if (!name.includes(values.only)) continue;
        const t = await run(surface, text, Number(values.size ?? 4000));
        if (t[0] > Number(values.above ?? 60)) process.stdout.write(`${surface} ${name}: ${t.join(' ')}\n`);
      }
  }
} finally {
  await browser.close();
  server.close();
}
