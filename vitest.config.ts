import { defineConfig } from 'vitest/config';
import { propertySeed } from './tests/support/property-seed.ts';

/** Once more against the stand-in as the oldest server that will do; everything else meets the newest. */
const OLDEST = ['tests/log/eventstoredb-faults.test.ts'];

export default defineConfig({
  test: {
    setupFiles: 'tests/support/seed-properties.ts',
    env: propertySeed(),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/wire/**', 'tests/console/*.test.ts', 'tests/hard/**'],
        },
      },
      { extends: true, test: { name: 'oldest server', include: OLDEST, env: { STAND_IN_VERSION: '21.10' } } },
    ],
  },
});
