/**
 * Runs bench/markdown.html in Chromium and prints its result as JSON. Exits with 1 when a goal of the
 * numbers table is missed. Usage: node bench/markdown.mjs [length]
 */

import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { serve } from './serve.mjs';

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
  await page.goto(`${server.url}/markdown.html?length=${length}`);
  await page.waitForFunction(() => window.__bench !== undefined, undefined, { timeout: 300_000 });
  const result = await page.evaluate(() => window.__bench);
  const [first = 0, , , last = 0] = result.quarters;
  const goals = {
    'p95 ≤ 8 ms': result.p95 <= 8,
    'no stall > 100 ms': result.longestStall <= 100,
    linear: last <= first * 1.3,
    'no page errors': errors.length === 0,
  };
  process.stdout.write(`${JSON.stringify({ ...result, goals, errors }, null, 2)}\n`);
  if (Object.values(goals).includes(false)) process.exitCode = 1;
} finally {
  await browser.close();
  server.close();
}
