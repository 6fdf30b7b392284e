import './controlled-globals.ts';
import { applyMutation } from './mutations.ts';
import type { SeedResult } from './run-seed.ts';

/** Which seeds to run, one after the other. */
export type SeedsRequest = { readonly from: number; readonly count: number };

/** What of a seed's result the parent process needs. */
export type SeedReport = Omit<SeedResult, 'faultsInjected' | 'lastLines'> & {
  readonly faultsInjected: readonly (readonly [string, number])[];
  /** Only of a seed that was found wrong. */
  readonly lastLines: readonly string[];
};

const [, , mutation] = process.argv;
if (mutation !== undefined) applyMutation(mutation);
// After the globals are controlled: modules keep timers when they are loaded.
const { runSeed } = await import('./run-seed.ts');

process.on('message', async ({ from, count }: SeedsRequest) => {
  for (let seed = from; seed < from + count; seed += 1) {
    const { faultsInjected, lastLines, ...rest } = await runSeed(seed);
    const report: SeedReport = {
      ...rest,
      faultsInjected: [...faultsInjected],
      lastLines: rest.faults.length > 0 ? lastLines : [],
    };
    process.send?.(report);
  }
  process.send?.('done');
});
