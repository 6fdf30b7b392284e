import { vi } from 'vitest';

/** Retries the assertions until they hold; fails the test only if they never do. */
export function eventually(assert: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(assert, { timeout: 20_000, interval: 3 });
}
