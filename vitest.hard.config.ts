import { defineConfig } from 'vitest/config';
import { keepCompiledCode } from './tests/support/compile-cache.ts';
import { propertySeed } from './tests/support/property-seed.ts';

keepCompiledCode();

/** What takes minutes: kills, large histories, long random runs. CI runs it beside the rest. */
export default defineConfig({
  test: {
    setupFiles: 'tests/support/seed-properties.ts',
    env: propertySeed(),
    include: ['tests/hard/**/*.test.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 100_000 } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
