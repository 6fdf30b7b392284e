import { vi } from 'vitest';

/** Until the assertions hold; they fail the test only when they never do. */
export function eventually(assert: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(assert, { timeout: 20_000, interval: 3 });
}
