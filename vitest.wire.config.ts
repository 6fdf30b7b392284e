import { randomUUID } from 'node:crypto';
import { defineConfig } from 'vitest/config';

/** Everything that can be held against real servers: those that EVENTSTORE_TEST_URL and MONGODB_TEST_URL name. */
export default defineConfig({
  test: {
    include: ['tests/wire/**/*.test.ts', 'tests/e2e/**/*.test.ts'],
    // Where a test moves the clock itself: what services share in a store is leased by one time, that of the others too.
    exclude: ['tests/e2e/connection-usage.test.ts', 'tests/e2e/connector-logs.test.ts', 'tests/e2e/schedules.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // One service after the other: they share a log and go on in one read store, so that only the first reads what was there before.
    fileParallelism: false,
    globalSetup: 'tests/support/wire-database.ts',
    env: { WIRE: randomUUID().replaceAll('-', '') },
  },
});
