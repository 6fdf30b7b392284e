import { randomUUID } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { propertySeed } from './tests/support/property-seed.ts';

/**
 * The first start comes first: on a log that is empty. Those that fill the servers come last: the independent
 * MongoDB-protocol server has no indexes, so that every read costs what there is. The one that lives in another time
 * comes before those that kill processes, whose leases would never run out for it.
 */
class FillingLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      if (moduleId.endsWith('/tests/wire/first-start.test.ts')) return -1;
      if (moduleId.includes('/tests/faults/')) return 3;
      if (!moduleId.includes('/tests/wire/')) return 0;
      return moduleId.endsWith('/schedules.test.ts') ? 1 : 2;
    };
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    include: ['tests/wire/**/*.test.ts', 'tests/e2e/**/*.test.ts', 'tests/faults/repeated-requests.test.ts'],
    // Where a test moves the clock itself: what services share in a store is leased by one time, that of the others
    // too.
    exclude: ['tests/e2e/connection-usage.test.ts', 'tests/e2e/connector-logs.test.ts', 'tests/e2e/schedules.test.ts'],
    // Of the whole run the last tests are the slowest: the server without indexes reads everything that is there.
    testTimeout: 150_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // One service after the other: they share a log and go on in one read store, so that only the first reads what was
    // there before.
    fileParallelism: false,
    sequence: { sequencer: FillingLast },
    globalSetup: 'tests/support/wire-database.ts',
    env: { WIRE: randomUUID().replaceAll('-', ''), ...propertySeed() },
    setupFiles: 'tests/support/seed-properties.ts',
  },
});
