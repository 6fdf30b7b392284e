import { describe, expect, it } from 'vitest';
import { runSeeds } from './run-seeds.ts';

const SEEDS = { from: 1, count: 6 };

async function hashes(processes: number): Promise<string[]> {
  const found = new Map<number, string>();
  await runSeeds({ ...SEEDS, processes, onSeed: ({ seed, traceHash }) => found.set(seed, traceHash) });
  return Array.from({ length: SEEDS.count }, (_, nth) => found.get(SEEDS.from + nth) ?? 'missing');
}

describe('a simulated life', { timeout: 300_000 }, () => {
  it('is the same each time for the same seed, and another one for another seed', async () => {
    const first = await hashes(1);
    expect(await hashes(1)).toEqual(first);
    expect(new Set(first).size).toBe(SEEDS.count);
  });

  it('does not depend on the lives that its process ran before', async () => {
    const [, , , , , last] = await hashes(1);
    const alone: string[] = [];
    await runSeeds({ from: 6, count: 1, processes: 1, onSeed: ({ traceHash }) => alone.push(traceHash) });
    expect(alone).toEqual([last]);
  });
});
