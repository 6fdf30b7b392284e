import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../src/shared/backoff.ts';

describe('the pause before another attempt', () => {
  it('is between half and all of a bound that doubles with each failure, up to a maximum', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, chance) => {
          const bound = Math.min(500, 10 * 2 ** Math.max(0, failures - 1));
          const pauseMs = backoffMs(failures, { firstMs: 10, mostMs: 500 }, () => chance);
          expect(pauseMs).toBeGreaterThanOrEqual(bound / 2);
          expect(pauseMs).toBeLessThanOrEqual(bound);
        },
      ),
    );
  });
});
