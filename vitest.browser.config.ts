import { defineConfig } from 'vitest/config';

/** Pages in the Chromium that CHROMIUM names, Debian's by default. */
export default defineConfig({
  test: {
    include: ['tests/browser/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    fileParallelism: false,
  },
});
