import { randomUUID } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { propertySeed } from './tests/support/property-seed.ts';

/**
 * The first start comes first: on a log that is empty. Those that run several processes come next, since the
 * independent MongoDB-protocol server has no indexes and every read costs what there is: before all the one that
 * moves its own clock, for which the leases of killed processes would never expire. Those that fill the servers come
 * last.
 */
const ORDER = ['wire/first-start', 'wire/schedules', 'wire/roles', 'wire/two-instances', 'e2e/', 'wire/', 'faults/'];

class FillingLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number =>
      ORDER.findIndex((part) => moduleId.includes(`/tests/${part}`));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    include: ['tests/wire/**/*.test.ts', 'tests/e2e/**/*.test.ts', 'tests/faults/repeated-requests.test.ts'],
    // Where a test moves the clock itself: what services share in a store is leased by one time, that of the others
    // too.
    exclude: [
      'tests/e2e/connection-usage.test.ts',
      'tests/e2e/connector-logs.test.ts',
      'tests/e2e/schedules.test.ts',
      'tests/e2e/tenant-budgets.test.ts',
    ],
    // Of the whole run the last tests are the slowest: the server without indexes reads everything that is there.
    testTimeout: 600_000,
    hookTimeout: 400_000,
    expect: { poll: { timeout: 100_000 } },
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
