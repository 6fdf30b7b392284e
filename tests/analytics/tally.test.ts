import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openTallies } from '../../src/analytics/tally.ts';
import { fromUnits } from '../../src/shared/money.ts';

const NAMES = { money: ['inflow', 'outflow'], counts: ['count'] };
/** Around the amounts that a floating point number holds exactly, and beyond. */
const units = fc.oneof(fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }), fc.bigInt({ min: -99n, max: 99n }));

describe('a tally', () => {
  it('is exact to the last place, whatever the amounts', () => {
    const entry = fc.record({ inflow: units, count: fc.integer({ min: 0, max: 9 }), times: fc.constantFrom(1, -1) });
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const tallies = openTallies(NAMES);
        for (const { inflow, count, times } of entries) {
          tallies.of('all')?.add(`${inflow === 0n ? '' : fromUnits(inflow)},,${count || ''}`, times);
        }
        const inflow = entries.reduce((sum, { inflow: one, times }) => sum + BigInt(times) * one, 0n);
        const count = entries.reduce((sum, { count: one, times }) => sum + times * one, 0);
        const expected = { ...(inflow === 0n ? {} : { inflow }), ...(count === 0 ? {} : { count }) };
        expect(Object.fromEntries(tallies.amounts())).toEqual(inflow === 0n && count === 0 ? {} : { all: expected });
      }),
    );
  });

  it('is exact where many amounts that numbers hold add up to one that they do not', () => {
    const tallies = openTallies(NAMES);
    for (let nth = 0; nth < 1_001; nth += 1) tallies.of('all')?.add('9999999999');
    tallies.of('all')?.add('0.00001');
    expect(Object.fromEntries(tallies.amounts())).toEqual({ all: { inflow: 1_000_999_999_899_900_001n } });
  });
});
