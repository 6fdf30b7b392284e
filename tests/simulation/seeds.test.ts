import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { runSeeds } from './run-seeds.ts';

const SEEDS = 1_000;
/** All of four processors: a life takes about a fifth of a second of one, and a minute has to be enough for all. */
const PROCESSES = Math.min(4, availableParallelism());

it(`${SEEDS} lives of the service end as their clients were answered`, { timeout: 600_000 }, async () => {
  const totals = await runSeeds({ from: 1, count: SEEDS, processes: PROCESSES });
  const wrong = totals.wrong.map(({ seed, faults }) => `npm run simulate -- --seed ${seed}: ${faults.join('; ')}`);
  expect(wrong).toEqual([]);
  expect(totals.seeds).toBe(SEEDS);
  // Each kind of fault has struck: a life without faults proves nothing.
  expect([...totals.faultsInjected.keys()].sort()).toEqual([
    'bank: no answer',
    'bank: permanent error',
    'bank: rate limit',
    'bank: reordered',
    'bank: repeated page',
    'bank: transient error',
    'bank: unforeseen error',
    'clock: jump',
    'instance: crash',
    'instance: frozen',
    'leases: lost',
    'log: answer lost',
    'log: delayed',
    'log: interrupted',
    'log: refused',
    'log: repeated',
    'log: slow',
    'read store: answer lost',
    'read store: delayed',
    'read store: interrupted',
    'read store: refused',
    'read store: repeated',
    'read store: slow',
  ]);
});
