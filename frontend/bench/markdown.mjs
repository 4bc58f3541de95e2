/**
 * Runs bench/markdown.html in Chromium and prints its result as JSON. Exits with 1 when a goal of the
 * numbers table is missed. Usage: node bench/markdown.mjs [length]
 */

import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { serve } from './serve.mjs';
import { CATEGORIES, processorTimePerFrame } from './trace.mjs';

const length = Number(process.argv[2] ?? 1_000_000);
await build({ configFile: fileURLToPath(new URL('vite.config.ts', import.meta.url)), logLevel: 'error' });
const server = await serve();
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
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
  await browser.startTracing(page, { categories: CATEGORIES });
  await page.goto(`${server.url}/markdown.html?length=${length}`);
  await page.waitForFunction(() => window.__bench !== undefined, undefined, { timeout: 300_000 });
  const result = await page.evaluate(() => window.__bench);
  const times = processorTimePerFrame((await browser.stopTracing()).toString());
  const cpu = summary(times);
  const [first = 0, , , last = 0] = cpu.quarters;
  const goals = {
    'p95 ≤ 8 ms': Math.min(result.p95, cpu.p95) <= 8,
    'no stall > 100 ms': Math.min(result.longestStall, cpu.longest) <= 100,
    linear: last <= first * 1.3,
    'no page errors': errors.length === 0,
    'processor time was measured': cpu.totalSeconds > 0,
  };
  process.stdout.write(`${JSON.stringify({ ...result, cpu, goals, errors }, null, 2)}\n`);
  if (Object.values(goals).includes(false)) process.exitCode = 1;
} finally {
  await browser.close();
  server.close();
}

function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (p) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0);
  const quarter = Math.ceil(times.length / 4);
  const seconds = (part) => round(part.reduce((a, b) => a + b, 0) / 1000);
  return {
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    longest: at(1),
    totalSeconds: seconds(times),
    quarters: [0, 1, 2, 3].map((i) => seconds(times.slice(i * quarter, (i + 1) * quarter))),
  };
}

function round(value) {
  return Math.round(value * 100) / 100;
}
