import Big from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  add,
  compare,
  decimal,
  decimalOf,
  fromUnits,
  MoneyError,
  magnitudeKey,
  negate,
  signed,
  subtract,
  toUnits,
} from '../../src/shared/money.ts';

const amounts = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), fc.integer({ min: 0, max: 99_999 }))
  .map(([whole, part]) => decimal(`${whole}.${String(part).padStart(5, '0')}`));

describe('exact decimals', () => {
  it('have one notation each', () => {
    expect(['1.50', '1.5', '01.5'].map(decimal)).toEqual(['1.5', '1.5', '1.5']);
    expect(decimal('-0')).toBe('0');
    expect(decimalOf(0.1)).toBe('0.1');
    expect(decimalOf(1e-5)).toBe('0.00001');
  });

  it.each(['', '1,5', '1e3', '1.123456', 'NaN', '1234567890123456789', '+1', ' 1'])('refuses %j', (text) => {
    expect(() => decimal(text)).toThrow(MoneyError);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e-6])('refuses the number %d', (value) => {
    expect(() => decimalOf(value)).toThrow(MoneyError);
  });

  it('sort by their keys in the order of their values', () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        const byKey = magnitudeKey(a) < magnitudeKey(b) ? -1 : magnitudeKey(a) > magnitudeKey(b) ? 1 : 0;
        expect(byKey).toBe(compare(a, b));
      }),
    );
    expect(() => magnitudeKey('-1')).toThrow(MoneyError);
  });

  it('add and subtract exactly', () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        expect(subtract(add(a, b), b)).toBe(a);
        expect(add(a, negate(a))).toBe('0');
        expect(signed(a, false)).toBe(negate(a));
      }),
    );
  });

  it('add up to what the library makes of them, short or long', () => {
    const cut = fc.tuple(amounts, fc.boolean(), fc.nat(23)).map(([amount, negated, kept]) => {
      const short = amount.slice(0, Math.max(1, kept)).replace(/\.$/, '');
      return negated ? `-${short}` : short;
    });
    fc.assert(
      fc.property(cut, cut, (a, b) => {
        expect(add(a, b)).toBe(new Big(a).plus(b).toFixed());
        expect(subtract(a, b)).toBe(new Big(a).minus(b).toFixed());
        expect(negate(a)).toBe(new Big(0).minus(a).toFixed());
        expect(decimal(a)).toBe(new Big(a).toFixed());
      }),
      { numRuns: 2_000 },
    );
    expect(() => add('', '1')).toThrow('Invalid number');
  });

  it('give the same sums in units, each of which has one notation', () => {
    fc.assert(
      fc.property(amounts, amounts, fc.boolean(), (a, b, negated) => {
        const one = negated ? negate(a) : a;
        expect(fromUnits(toUnits(one))).toBe(one);
        expect(fromUnits(toUnits(one) + toUnits(b))).toBe(add(one, b));
      }),
    );
    expect(['0', '0.5', '-0.5', '12', '-0.00001'].map(toUnits)).toEqual([0n, 50_000n, -50_000n, 1_200_000n, -1n]);
  });
});
