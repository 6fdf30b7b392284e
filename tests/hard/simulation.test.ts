import { describe, expect, it } from 'vitest';
import { mutations } from '../simulation/mutations.ts';
import { runSeeds } from '../simulation/run-seeds.ts';

const SEEDS = 1_000;

/** Of the fault and not of the machine: seeds are tried in the same order, so the same one finds it each time. */
describe(`the simulation finds within ${SEEDS} seeds`, () => {
  it.each(mutations.map(({ name, foundBy }) => [name, foundBy] as const))('%s', async (mutation, foundBy) => {
    expect(foundBy).toBeLessThanOrEqual(SEEDS);
    const known = await runSeeds({ from: foundBy, count: 1, processes: 1, mutation });
    if (known.wrong.length > 0) return;
    const { wrong } = await runSeeds({ from: 1, count: SEEDS, processes: 2, untilWrong: true, mutation });
    expect(wrong.length).toBeGreaterThan(0);
  });
});
