import { randomUUID } from 'node:crypto';
import { defineConfig } from 'vitest/config';

/** Everything that can be held against real servers: those that EVENTSTORE_TEST_URL and MONGODB_TEST_URL name. */
export default defineConfig({
  test: {
    include: ['tests/wire/**/*.test.ts', 'tests/e2e/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // One service after the other: they share a log and go on in one read store, so that only the first reads what was there before.
    fileParallelism: false,
    globalSetup: 'tests/support/wire-database.ts',
    env: { WIRE: randomUUID().replaceAll('-', '') },
  },
});
