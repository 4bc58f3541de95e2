import { defineConfig } from '@playwright/test';
import { chromium } from './e2e/support/chromium';
import { selection } from './e2e/support/deep';

// The real binary in a real browser. `make build` comes first.
export default defineConfig({
  testDir: './e2e',
  testMatch: '*.spec.ts',
  // The gallery needs no binary, so it has a run of its own (npm run test:gallery).
  testIgnore: [
    '**/window/**',
    '**/fold/**',
    ...(process.env['WEFT_GALLERY'] === 'without' ? ['**/gallery.spec.ts'] : []),
  ],
  ...selection(),
  outputDir: './test-results/e2e',
  fullyParallel: true,
  workers: 2,
  forbidOnly: process.env['CI'] !== undefined,
  // A guard against what hangs: a busy machine takes minutes for the tests that make many pictures.
  timeout: 240_000,
  expect: { timeout: 45_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    launchOptions: chromium,
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    // Drawing marks that turn takes a fifth of the time. Specs of the focus, of scrolling and of whole days take motion as most people have it.
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'UTC',
    screenshot: 'only-on-failure',
    // A trace costs a third of the time; `--trace on` makes one of a test that fails.
    trace: 'off',
  },
});
