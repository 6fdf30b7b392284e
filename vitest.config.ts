import { defineConfig } from 'vitest/config';
import { propertySeed } from './tests/support/property-seed.ts';

export default defineConfig({
  test: {
    setupFiles: 'tests/support/seed-properties.ts',
    env: propertySeed(),
    include: ['tests/**/*.test.ts'],
    exclude: ['tests/wire/**', 'tests/browser/**', 'tests/hard/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
