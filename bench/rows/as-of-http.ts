import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '../children/messages.ts';
import { type Call, openApi, serviceEnvironment } from '../fixtures/api.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { automated, type ChildState, connectDemoBank, syncDays } from '../fixtures/whole-service.ts';
import { interleave, median, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

const DAYS = 10;
const ROWS_A_DAY = { full: 3_600, quick: 200 } as const;
const REQUESTS = { full: 100, quick: 10 } as const;

const NOW = '/banks/transactions?limit=50';
const OF_CHANGED = '/banks/transactions?limit=50&assigned=false';

/**
 * The whole service over HTTP, one caller: the first page of 50 as of a moment before a backfill that changed every
 * transaction.
 */
export const asOfHttp: Row = {
  name: 'as-of-http',
  title: 'a list of 50 transactions over HTTP as of a moment, after which a backfill changed all 36,000',
  baseline: 'the list of now, over HTTP',
  aim: { kind: 'cost', atMost: 3 },
  async measure({ quick, rounds, say }) {
    const size = quick ? 'quick' : 'full';
    const rowsADay = ROWS_A_DAY[size];
    const folder = makeFolder();
    const child = await startChild<{ url: string }, ChildState>('./service-child.ts', serviceEnvironment(folder.path));
    try {
      const call = openApi(child.ready.url);
      await syncDays(call, await connectDemoBank(call, rowsADay), { days: DAYS, rowsADay });
      await automated(call, child.ask);
      const moment = new Date().toISOString();
      await changeEvery(call);
      await automated(call, child.ask);
      say(`${DAYS * rowsADay} transactions changed`);
      const ask = (path: string) =>
        side({
          run: async () => {
            const times: number[] = [];
            for (let nth = 0; nth < REQUESTS[size]; nth += 1) {
              const startedMs = performance.now();
              const { items } = await call<{ items: { assignmentSummary: unknown }[] }>('GET', path);
              times.push(performance.now() - startedMs);
              if (items.length !== 50) throw new Error(`${path} lists ${items.length}`);
            }
            return median(times);
          },
        });
      const asOf = `&asOf=${moment}`;
      const times = await interleave(rounds, {
        now: ask(NOW),
        past: ask(NOW + asOf),
        pastUnassigned: ask(OF_CHANGED + asOf),
      });
      const ms = (name: keyof typeof times): string => `${median(times[name]).toFixed(2)} ms`;
      return {
        values: ratios(times.past, times.now),
        details: [`now ${ms('now')}, as of the moment ${ms('past')}, the unassigned of then ${ms('pastUnassigned')}`],
      };
    } finally {
      await child.stop();
      folder.remove();
    }
  },
};

/** A backfill of a rule that matches every transaction. */
async function changeEvery(call: Call): Promise<void> {
  const { id } = await call<{ id: string }>('POST', '/banks/transaction-rules', {
    name: 'All',
    conditions: { combinator: 'all', children: [{ field: 'amount', operator: 'at_least', value: 0 }] },
    actions: [
      { type: 'attach_reference', reference: { source: 'erp', entityType: 'ledger-account', externalId: 'all' } },
    ],
  });
  const rule = `/banks/transaction-rules/${id}`;
  const preview = await ended(call, await call<Run>('POST', `${rule}/preview-runs`, {}));
  await ended(call, await call<Run>('POST', `${rule}/backfill-runs`, { previewRunId: preview.id }));
}

type Run = { readonly id: string; readonly status: string };

/** @throws Error for a run that ends otherwise than completed */
async function ended(call: Call, { id }: Run): Promise<Run> {
  for (;;) {
    // The read model may not show it yet.
    const run = await call<Run>('GET', `/banks/rule-runs/${id}`).catch(() => null);
    if (run?.status === 'completed') return run;
    if (run !== null && ['failed', 'cancelled', 'dead'].includes(run.status))
      throw new Error(`the run ended ${run.status}`);
    await pause(250);
  }
}
