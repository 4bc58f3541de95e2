import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// A DOM takes longer to make than most tests take to run. Only components have one; another test asks for it with
// `@vitest-environment jsdom` in its first line. Files share their modules and a DOM; each test cleans up after itself.
export default defineConfig({
  plugins: [react()],
  test: {
    passWithNoTests: true,
    restoreMocks: true,
    testTimeout: 60_000,
    setupFiles: ['./vitest.patience.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'logic', environment: 'node', isolate: false, include: ['src/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'components',
          environment: 'jsdom',
          isolate: false,
          setupFiles: ['./vitest.patience.ts', './vitest.setup.ts'],
          include: ['src/**/*.test.tsx'],
        },
      },
    ],
  },
});
