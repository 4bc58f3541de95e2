import { defineConfig } from 'vitest/config';

// The TypeScript fold against sequences that the Go fold wrote: `make check-fold`.
export default defineConfig({
  root: import.meta.dirname,
  test: { include: ['*.test.ts'], environment: 'node', testTimeout: 60_000 },
});
