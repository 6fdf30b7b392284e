import { defineConfig } from 'vitest/config';
import { propertySeed } from './tests/support/property-seed.ts';

/** Pages in the Chromium that CHROMIUM names, Debian's by default. */
export default defineConfig({
  test: {
    setupFiles: 'tests/support/seed-properties.ts',
    env: propertySeed(),
    include: ['tests/console/*.test.ts', 'tests/sdk/in-browser.test.ts'],
    globalSetup: 'tests/console/support/built-console.ts',
    testTimeout: 200_000,
    hookTimeout: 200_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    fileParallelism: false,
  },
});
