import { randomInt } from 'node:crypto';

/**
 * One seed for all property tests of a run: PROPERTY_SEED, or a new one. For a vitest configuration's `env`, so that
 * every worker has the same seed.
 */
export function propertySeed(): { readonly PROPERTY_SEED: string } {
  const given = process.env.PROPERTY_SEED;
  if (given !== undefined && !/^-?\d{1,10}$/.test(given)) throw new RangeError('PROPERTY_SEED is a whole number');
  return { PROPERTY_SEED: given ?? String(randomInt(2 ** 31)) };
}
