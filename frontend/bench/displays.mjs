/**
 * Tables and charts in a browser: pictures of all of them, accessibility, and what the keys do. Exits with 1 where a
 * check fails. Usage: node bench/displays.mjs [folder for pictures]
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { serve } from './serve.mjs';

const folder = process.argv[2];
if (folder !== undefined) mkdirSync(folder, { recursive: true });
await build({ configFile: fileURLToPath(new URL('vite.config.ts', import.meta.url)), logLevel: 'error' });
const server = await serve();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});
const checks = {};
const errors = [];

async function open(query, size) {
  const context = await browser.newContext({ viewport: size });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(`${server.url}/displays.html?${query}`);
  await page.locator('[data-name] figure').first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  return page;
}

async function pictures() {
  const looks = [
    ['light-1280', 'theme=light', 1280],
    ['dark-760', 'theme=dark&density=compact', 760],
    ['dark-1280', 'theme=dark&scale=130', 1280],
  ];
  for (const [name, query, width] of looks) {
    const page = await open(query, { width, height: 900 });
    const found = await new AxeBuilder({ page }).analyze();
    checks[`axe ${name}`] = found.violations.length === 0;
    for (const { id, nodes } of found.violations)
      errors.push(`${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
    if (folder !== undefined) {
      for (const one of await page.locator('[data-name]').all()) {
        await one.scrollIntoViewIfNeeded();
        await one.screenshot({ path: join(folder, `${await one.getAttribute('data-name')}-${name}.png`) });
      }
    }
    checks[`no sideways scrolling ${name}`] = await page.evaluate(() => {
      const main = document.querySelector('main');
      return main.scrollWidth <= main.clientWidth;
    });
    await page.context().close();
  }
}

async function tableKeys() {
  const page = await open('only=table-', { width: 1280, height: 900 });
  const table = page.locator('[data-name="table-long"]');
  const grid = table.getByRole('grid');
  const rows = () => table.locator('tbody tr').count();
  checks['10 000 rows mount few'] = (await rows()) < 80;
  await grid.focus();
  await page.keyboard.press('End');
  await table.locator('tr[aria-rowindex="10001"][data-active]').waitFor();
  checks['End shows the last row'] = await table.locator('tr[aria-rowindex="10001"]').isVisible();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowUp');
  await table.getByText('2 chosen').waitFor();
  await page.keyboard.press('Control+c');
  checks['chosen rows are copied'] =
    (await page.evaluate(() => navigator.clipboard.readText())).split('\n').length === 3;
  const header = table.getByRole('columnheader', { name: 'Price' });
  await header.getByRole('button').focus();
  const before = Date.now();
  await page.keyboard.press('Enter');
  await table.locator('th[aria-sort="ascending"]').waitFor();
  checks['sorting 10 000 rows ≤ 500 ms'] = Date.now() - before <= 500;
  await table.getByRole('searchbox').fill('lamp 4244');
  await table.getByText('1 of 10').waitFor();
  checks['the filter finds one row'] = (await rows()) === 1;
  await page.keyboard.press('Escape');
  await table.locator('tr[aria-rowindex="3"]').waitFor();
  await page.context().close();
}

/** Rows stream in while someone reads further up: what is in sight must stay, and a row must cost the same. */
async function growing() {
  const page = await open('only=table-grows', { width: 1280, height: 900 });
  const result = await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));
    const row = (i) => ({ id: i, name: `Row ${i}`, price: i, since: '2026-01-01', stock: true, note: '' });
    const columns = ['id', 'name', 'price', 'since', 'stock', 'note'].map((key) => ({ key, label: key }));
    let rows = [];
    const cost = [];
    let moved = 0;
    let seen = null;
    for (let i = 0; i < 6000; i += 10) {
      rows = [...rows, ...Array.from({ length: 10 }, (_, n) => row(i + n))];
      const start = performance.now();
      window.__show('table-grows', { title: 'Grows', columns, rows }, true);
      await Promise.resolve();
      document.body.getBoundingClientRect();
      cost.push(performance.now() - start);
      await frame();
      const box = document.querySelector('.table-box');
      if (i === 100) box.scrollTop = 600;
      if (i === 120)
        seen = { top: document.querySelector('[aria-rowindex="32"]').getBoundingClientRect().top };
      const here = document.querySelector('[aria-rowindex="32"]');
      if (seen !== null)
        moved = Math.max(moved, here === null ? 1000 : Math.abs(here.getBoundingClientRect().top - seen.top));
    }
    const mean = (part) => part.reduce((a, b) => a + b, 0) / part.length;
    return { moved, first: mean(cost.slice(30, 150)), last: mean(cost.slice(-120)) };
  });
  process.stdout.write(`${JSON.stringify({ growing: result })}\n`);
  checks['what is read stays'] = result.moved < 1;
  checks['a row costs the same'] = result.last <= result.first * 1.5 + 2;
  await page.context().close();
}

async function chartKeys() {
  const page = await open('only=chart-', { width: 1280, height: 900 });
  const chart = page.locator('[data-name="chart-line"]');
  const plot = chart.getByRole('img');
  const picture = () => chart.locator('canvas').evaluate((canvas) => canvas.toDataURL());
  const half = {
    type: 'line',
    labels: ['Jan', 'Feb', 'Mar'],
    series: [
      { name: 'Paris', data: [1, 2] },
      { name: 'Oslo', data: [] },
    ],
  };
  await page.evaluate((input) => window.__show('chart-line', input, true), half);
  await chart.getByRole('img', { name: /Paris: 2 points/ }).waitFor();
  const before = await picture();
  await page.evaluate((input) => {
    input.series[0].data.push(9);
    window.__show('chart-line', input, false);
  }, half);
  await chart.getByRole('img', { name: /Paris: 3 points/ }).waitFor();
  await page.waitForFunction(
    (old) => document.querySelector('[data-name="chart-line"] canvas')?.toDataURL() !== old,
    before,
  );
  checks['a chart grows while it is written'] = true;
  await plot.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await chart.locator('.chart-tip', { hasText: 'Feb' }).waitFor();
  if (folder !== undefined) await chart.screenshot({ path: join(folder, 'chart-line-cursor.png') });
  const entry = chart.getByRole('button', { name: 'Paris' });
  await entry.focus();
  await page.keyboard.press('Space');
  checks['the legend switches'] = (await entry.getAttribute('aria-pressed')) === 'false';
  await chart.getByRole('button', { name: 'Copy as CSV' }).click();
  await chart.getByText('Copied').waitFor();
  checks['values are copied'] = (await page.evaluate(() => navigator.clipboard.readText())).startsWith(
    'Point,Paris',
  );
  await chart.getByRole('button', { name: 'Copy as image' }).click();
  await chart.getByText('Copied').waitFor();
  const types = () =>
    page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => types));
  checks['the picture is copied'] = (await types()).includes('image/png');
  const light = await picture();
  await page.evaluate(() => {
    document.documentElement.dataset.theme = 'dark';
  });
  await page.waitForFunction(
    (before) => document.querySelector('[data-name="chart-line"] canvas')?.toDataURL() !== before,
    light,
  );
  checks['the theme redraws'] = true;
  const start = Date.now();
  await page.setViewportSize({ width: 760, height: 900 });
  await page.waitForFunction(() => {
    const box = document.querySelector('[data-name="chart-line"] .chart-canvas');
    return box.querySelector('canvas').clientWidth === box.clientWidth;
  });
  checks['it follows the width'] = Date.now() - start < 2000;
  await chart.getByRole('button', { name: 'Show as table' }).click();
  checks['as a table'] = await chart.getByRole('grid').isVisible();
  if (folder !== undefined) await chart.screenshot({ path: join(folder, 'chart-line-table.png') });
  await page.context().close();
}

try {
  await pictures();
  await tableKeys();
  await growing();
  await chartKeys();
} finally {
  await browser.close();
  server.close();
}
process.stdout.write(`${JSON.stringify({ checks, errors }, null, 2)}\n`);
if (errors.length > 0 || Object.values(checks).includes(false)) process.exitCode = 1;
