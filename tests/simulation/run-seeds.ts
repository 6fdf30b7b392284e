import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { SeedReport, SeedsRequest } from './seeds-child.ts';

const CHILD = join(import.meta.dirname, 'seeds-child.ts');
/**
 * Lives leave much garbage and little else, and with a process on each processor threads of the collector gain nothing;
 * stacks of errors that the simulation causes are read by nobody.
 */
const FLAGS = ['--max-semi-space-size=64', '--min-semi-space-size=64', '--single-threaded-gc', '--stack-trace-limit=0'];
/** Seeds given to a process at once: few, so that all processes end at about the same time. */
const SLICE = 10;

export type Totals = {
  seeds: number;
  events: number;
  simulatedMs: number;
  readonly faultsInjected: Map<string, number>;
  /** Those found wrong, the lowest seed first. */
  readonly wrong: SeedReport[];
};

/**
 * Runs seeds in child processes, whose globals the simulation may replace, and adds up what they report. The outcome of
 * a seed does not depend on the process that runs it.
 * @throws Error when a child process ends by itself
 */
export async function runSeeds(options: {
  readonly from: number;
  readonly count: number;
  readonly processes: number;
  /** Stops at the first seed that is found wrong. */
  readonly untilWrong?: boolean;
  /** The known fault that the service has meanwhile. */
  readonly mutation?: string;
  readonly onSeed?: (report: SeedReport) => void;
}): Promise<Totals> {
  const { from, count, processes, untilWrong = false, mutation, onSeed } = options;
  const totals: Totals = { seeds: 0, events: 0, simulatedMs: 0, faultsInjected: new Map(), wrong: [] };
  let next = from;

  function take(report: SeedReport): void {
    totals.seeds += 1;
    totals.events += report.events;
    totals.simulatedMs += report.simulatedMs;
    for (const [kind, times] of report.faultsInjected) {
      totals.faultsInjected.set(kind, (totals.faultsInjected.get(kind) ?? 0) + times);
    }
    if (report.faults.length > 0) totals.wrong.push(report);
    onSeed?.(report);
  }

  function nextSlice(): SeedsRequest | null {
    if (next >= from + count || (untilWrong && totals.wrong.length > 0)) return null;
    const slice = { from: next, count: Math.min(SLICE, from + count - next) };
    next += slice.count;
    return slice;
  }

  async function work(): Promise<void> {
    const child = fork(CHILD, mutation === undefined ? [] : [mutation], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: FLAGS,
    });
    try {
      for (let slice = nextSlice(); slice !== null; slice = nextSlice()) await runSlice(child, slice, take);
    } finally {
      child.kill('SIGKILL');
    }
  }

  await Promise.all(Array.from({ length: processes }, work));
  totals.wrong.sort((one, other) => one.seed - other.seed);
  return totals;
}

function runSlice(child: ChildProcess, slice: SeedsRequest, take: (report: SeedReport) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown): void => {
      if (message !== 'done') {
        take(message as SeedReport);
        return;
      }
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve();
    };
    const onExit = (code: number | null): void => reject(new Error(`a process ended with ${code} at ${slice.from}`));
    child.on('message', onMessage);
    child.once('exit', onExit);
    child.send(slice);
  });
}
