import { defineConfig } from '@playwright/test';

// The real window, with the system's web view, on a screen of its own. `make build` comes first.
export default defineConfig({
  testDir: './e2e/window',
  testMatch: '*.spec.ts',
  outputDir: './test-results/window',
  workers: 1,
  retries: process.env['CI'] === undefined ? 0 : 1,
  forbidOnly: process.env['CI'] !== undefined,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
});
