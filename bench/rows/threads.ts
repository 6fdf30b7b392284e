import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '../children/messages.ts';
import { type Call, openApi, serviceEnvironment } from '../fixtures/api.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { automated, type ChildState, connectDemoBank, makeRules, syncDays } from '../fixtures/whole-service.ts';
import { interleave, median, perSecond, quantile, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

const ROWS_A_DAY = 1_000;
const FIRST_ROWS = 500;
const FULL_DAYS = 20;
const QUICK_DAYS = 2;
const BETWEEN_MS = 5;

type Latencies = { readonly get: number[]; readonly list: number[]; readonly command: number[] };
type Figures = {
  readonly get: number[];
  readonly list: number[];
  readonly command: number[];
  readonly peakMb: number[];
};

/**
 * The whole service in a process of its own, once with projections and reactors in a thread of their own and once with
 * one thread for all: rows from a bank until they are automated, while one client reads and sends commands.
 */
export const threads: Row = {
  name: 'threads',
  title: 'rows from the bank to automated while a client reads and writes, with projections in a thread of their own',
  baseline: 'the same in one thread (BACKGROUND_THREAD=off)',
  aim: { kind: 'speed', atLeast: 1 },
  async measure({ quick, rounds }) {
    const days = quick ? QUICK_DAYS : FULL_DAYS;
    const figures: Record<'on' | 'off', Figures> = { on: noFigures(), off: noFigures() };
    const sideOf = (thread: 'on' | 'off') =>
      side({ run: (_: undefined) => ingest(thread, days, figures[thread]), tidy: () => {} });
    const times = await interleave(rounds, { on: sideOf('on'), off: sideOf('off') });
    const lines = (['on', 'off'] as const).map((thread) => {
      const { get, list, command, peakMb } = figures[thread];
      return (
        `thread ${thread}: ${rate(days * ROWS_A_DAY, times[thread])}, peak ${median(peakMb).toFixed(0)} MB; ` +
        `p50 / p99 of GET ${spread(get)}, list of 50 ${spread(list)}, command ${spread(command)} ms`
      );
    });
    return {
      values: ratios(times.off, times.on),
      perSecond: perSecond(days * ROWS_A_DAY, times.on),
      details: lines,
    };
  },
};

function noFigures(): Figures {
  return { get: [], list: [], command: [], peakMb: [] };
}

function spread(values: readonly number[]): string {
  return `${quantile(values, 0.5).toFixed(1)} / ${quantile(values, 0.99).toFixed(1)}`;
}

/** @returns the milliseconds from the first sync until the last row is automated */
async function ingest(thread: 'on' | 'off', days: number, figures: Figures): Promise<number> {
  const folder = makeFolder();
  const environment = { ...serviceEnvironment(folder.path), BACKGROUND_THREAD: thread };
  const child = await startChild<{ url: string }, ChildState>('./service-child.ts', environment);
  try {
    const call = openApi(child.ready.url);
    await makeRules(call);
    // Rows to read, and code that has run before.
    await syncDays(call, await connectDemoBank(call, FIRST_ROWS), { days: 1, rowsADay: FIRST_ROWS });
    await automated(call, child.ask);
    const id = await connectDemoBank(call, ROWS_A_DAY);
    const stopping = new AbortController();
    const asking = askOn(call, figures, stopping.signal);
    const startedMs = performance.now();
    await syncDays(call, id, { days, rowsADay: ROWS_A_DAY });
    await automated(call, child.ask);
    const tookMs = performance.now() - startedMs;
    stopping.abort();
    await asking;
    figures.peakMb.push(await child.peakMb());
    return tookMs;
  } finally {
    await child.stop();
    folder.remove();
  }
}

async function askOn(call: Call, { get, list, command }: Latencies, signal: AbortSignal): Promise<void> {
  const { items } = await call<{ items: { id: string }[] }>('GET', '/banks/transactions?limit=50');
  const rule = await call<{ items: { id: string; version: number }[] }>('GET', '/banks/transaction-rules');
  const [first] = rule.items;
  if (first === undefined) throw new Error('there is no rule');
  let { version } = first;
  for (let nth = 0; !signal.aborted; nth += 1) {
    const one = items[nth % items.length];
    get.push(await timed(() => call('GET', `/banks/transactions/${one?.id}`)));
    list.push(await timed(() => call('GET', '/banks/transactions?limit=50')));
    const change = nth % 2 === 0 ? 'pause' : 'resume';
    command.push(await timed(() => call('PATCH', `/banks/transaction-rules/${first.id}/${change}`, { version })));
    version += 1;
    await pause(BETWEEN_MS);
  }
}

async function timed(ask: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await ask();
  return performance.now() - startedMs;
}
