import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { keepCompiledCode } from './tests/support/compile-cache.ts';
import { propertySeed } from './tests/support/property-seed.ts';

/** Takes all processors for a minute: alone and first, where nothing else waits for it or makes it wait. */
const LIVES = ['tests/simulation/seeds.test.ts'];
/** Need Chromium. */
const PAGES = ['tests/console/*.test.ts', 'tests/sdk/in-browser.test.ts'];
/** Once more against the stand-in as the oldest server that will do; everything else meets the newest. */
const OLDEST = ['tests/log/eventstoredb-faults.test.ts'];

keepCompiledCode();

export default defineConfig({
  test: {
    setupFiles: 'tests/support/seed-properties.ts',
    env: propertySeed(),
    // For what hangs, also where other programs leave the tests a tenth of a processor.
    testTimeout: 200_000,
    hookTimeout: 200_000,
    expect: { poll: { timeout: 100_000 } },
    pool: 'forks',
    // Tests of a service wait half of their time.
    maxWorkers: Math.max(2, Math.ceil(availableParallelism() * 1.5)),
    projects: [
      { extends: true, test: { name: 'lives', include: LIVES, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'all',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/wire/**', 'tests/hard/**', ...PAGES, ...LIVES],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'oldest server',
          include: OLDEST,
          env: { STAND_IN_VERSION: '21.10' },
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
