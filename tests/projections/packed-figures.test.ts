import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addPacked,
  addToSlots,
  type Figures,
  placesOf,
  slotsOf,
} from '../../src/projections/analytics/packed-figures.ts';
import { negative, plus } from '../../src/projections/analytics/sums.ts';
import { fromUnits } from '../../src/shared/money.ts';

const PLACES = placesOf({ money: ['inflow', 'outflow'], counts: ['count'] });
const money = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(fromUnits);
const figures: fc.Arbitrary<Figures> = fc.record(
  { inflow: money, outflow: money, count: fc.integer({ min: -5, max: 5 }) },
  { requiredKeys: [] },
);
const change = fc.tuple(fc.constantFrom('00', '07', '40', '41', '95'), figures);

function packed(sum: Figures): string {
  return ['inflow', 'outflow', 'count']
    .map((name) => sum[name] ?? '')
    .join(',')
    .replace(/,+$/, '');
}

describe('packed figures', () => {
  it('are the sums of the figures by name, of every slot in order', () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const slots = changes.reduce((sum, [slot, some]) => addToSlots(sum, slot, some, PLACES), '');
        const expected = [...new Set(changes.map(([slot]) => slot))].sort().flatMap((slot) => {
          const ofSlot = changes
            .filter(([one]) => one === slot)
            .reduce<Figures>((sum, [, some]) => plus(sum, some), {});
          return packed(ofSlot) === '' ? [] : [[slot, packed(ofSlot)]];
        });
        expect([...slotsOf(slots)]).toEqual(expected);
      }),
    );
  });

  it('are the same whatever the order of what was added, and nothing once all is undone', () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const added = (all: typeof changes, start = '') =>
          all.reduce((sum, [slot, some]) => addToSlots(sum, slot, some, PLACES), start);
        const slots = added(changes);
        expect(added(changes.toReversed())).toBe(slots);
        expect(
          added(
            changes.map(([slot, some]) => [slot, negative(some)]),
            slots,
          ),
        ).toBe('');
      }),
    );
  });

  it('are refused for a name without a place', () => {
    expect(() => addPacked('', { other: 1 }, PLACES)).toThrow(RangeError);
  });
});
