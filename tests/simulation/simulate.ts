import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { runSeeds } from './run-seeds.ts';
import type { SeedReport } from './seeds-child.ts';

const SHOWN_LINES = 60;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** What is needed to understand a seed that was found wrong, and to repeat it. */
function show({ seed, faults, faultsInjected, lastLines, traceHash }: SeedReport, lines: number): void {
  say(`\nseed ${seed} is wrong; it repeats with: npm run simulate -- --seed ${seed}`);
  for (const fault of faults) say(`  ${fault}`);
  say(`  faults injected: ${faultsInjected.map(([kind, times]) => `${kind} ${times}`).join(', ')}`);
  say(`  the end of its trace, with the hash ${traceHash}:`);
  for (const line of lastLines.slice(-lines)) say(`    ${line}`);
}

const program = new Command('simulate')
  .description('Runs lives of the whole service on simulated stores, banks and clocks, one from each seed')
  .option('--seeds <number>', 'how many', '1000')
  .option('--from <seed>', 'the first one', '1')
  .option('--seed <seed>', 'this one only')
  .option('--lines <number>', 'of the trace of a wrong seed', String(SHOWN_LINES))
  .option('--processes <number>', 'that run at once', String(availableParallelism()));
const { seeds, from, seed, lines, processes } = program.parse().opts<Record<string, string>>();

const startedMs = performance.now();
const totals = await runSeeds({
  from: Number(seed ?? from),
  count: seed === undefined ? Number(seeds) : 1,
  processes: seed === undefined ? Number(processes) : 1,
  onSeed: (report) => {
    if (report.faults.length > 0) show(report, Number(lines));
    else if (seed !== undefined) say(`seed ${seed} is right; its trace has the hash ${report.traceHash}`);
  },
});

const hours = Math.round(totals.simulatedMs / 3_600_000);
const seconds = Math.round((performance.now() - startedMs) / 1_000);
say(`\n${totals.seeds} seeds, ${totals.events} events, ${hours} simulated hours in ${seconds} s`);
for (const [kind, times] of [...totals.faultsInjected].sort(([one], [other]) => (one < other ? -1 : 1))) {
  say(`  ${kind.padEnd(32)} ${times}`);
}
say(`${totals.wrong.length} wrong${totals.wrong.length === 0 ? '' : `: ${totals.wrong.map((one) => one.seed)}`}`);
process.exitCode = totals.wrong.length === 0 ? 0 : 1;
