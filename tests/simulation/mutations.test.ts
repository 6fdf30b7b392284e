import { describe, expect, it } from 'vitest';
import { mutatedTexts, mutations } from './mutations.ts';

/** That the simulation finds them is shown by the hard tests; that they still fit, here. */
describe('a known fault fits the files that it changes', () => {
  it.each(mutations.map((mutation) => [mutation.name, mutation] as const))('%s', (_, mutation) => {
    const files = new Set(mutation.changes.map(({ file }) => file));
    expect(mutatedTexts(mutation).size).toBe(files.size);
  });
});
