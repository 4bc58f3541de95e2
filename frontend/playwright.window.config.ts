import { defineConfig } from '@playwright/test';
import { selection } from './e2e/support/deep';

// The real window, with the system's web view, on a screen of its own. `make build` comes first. All else runs beside it, and the
// screen is drawn by the processor, so it may take its time.
export default defineConfig({
  testDir: './e2e/window',
  testMatch: '*.spec.ts',
  ...selection(),
  outputDir: './test-results/window',
  workers: 1,
  forbidOnly: process.env['CI'] !== undefined,
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
});
