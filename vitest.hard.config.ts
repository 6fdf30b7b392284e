import { defineConfig } from 'vitest/config';

/** What takes minutes: kills, large histories, long random runs. CI runs it beside the rest. */
export default defineConfig({
  test: {
    include: ['tests/hard/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
