import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

function casesOf(): number[] {
  const seen: number[] = [];
  fc.assert(
    fc.property(fc.integer(), (number) => {
      seen.push(number);
    }),
  );
  return seen;
}

describe('property tests', () => {
  it('take their cases from PROPERTY_SEED, so that a failure can be reproduced', () => {
    expect(String(fc.readConfigureGlobal().seed)).toBe(process.env.PROPERTY_SEED);
    expect(casesOf()).toEqual(casesOf());
  });
});
