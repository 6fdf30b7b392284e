import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '../children/messages.ts';
import { API_HEADERS, type Call, openApi, serviceEnvironment } from '../fixtures/api.ts';
import { makeFolder } from '../fixtures/folder.ts';
import type { Row } from '../row.ts';

const FULL_DAYS = 100;
const QUICK_DAYS = 5;
const ROWS_A_DAY = 1_000;
const LIMIT_MB = 400;
const DAY_MS = 86_400_000;

type State = { readonly cpuMs: number; readonly head: string; readonly behind: readonly string[] };

/**
 * The whole service in a process of its own with embedded stores: a sync of the demo bank, the read models, automation with five rules, and
 * then the whole as CSV. Driven over HTTP, so that nothing of the bench is in the memory measured.
 */
export const memory: Row = {
  name: 'memory',
  title: '100,000 transactions synced, projected, automated and exported on the embedded stores',
  baseline: 'none: peak resident memory of the process',
  aim: { kind: 'below', limit: LIMIT_MB, unit: 'MB' },
  async measure({ quick, say }) {
    const days = quick ? QUICK_DAYS : FULL_DAYS;
    const total = days * ROWS_A_DAY;
    const folder = makeFolder();
    const child = await startChild<{ url: string }, State>('./service-child.ts', serviceEnvironment(folder.path));
    try {
      const { url } = child.ready;
      const call = openApi(url);
      const idleMb = await child.peakMb();
      await makeRules(call);
      const id = await connectDemoBank(call);
      const startedMs = performance.now();
      const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
      const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
      await call('POST', `/banks/accounts/${id}/sync`, { from: day(today - days * DAY_MS), to: day(today) });
      const sync = await syncEnded(call, id);
      if (sync.status !== 'completed' || sync.counts.inserted !== total) {
        throw new Error(`the sync ended ${sync.status} with ${sync.counts.inserted} of ${total} rows`);
      }
      const syncedMs = performance.now() - startedMs;
      const afterSyncMb = await child.peakMb();
      say(`synced ${total} rows in ${(syncedMs / 1000).toFixed(1)} s, peak so far ${afterSyncMb.toFixed(0)} MB`);
      await automated(call, child.ask);
      const automatedMs = performance.now() - startedMs;
      const afterAutomationMb = await child.peakMb();
      const csvLines = await countCsvLines(url);
      if (csvLines !== total + 1) throw new Error(`the CSV has ${csvLines} lines for ${total} transactions`);
      const peakMb = await child.peakMb();
      const { cpuMs } = await child.ask();
      return {
        values: [peakMb],
        details: [
          `idle after start ${idleMb.toFixed(0)} MB, peak to the end of the sync ${afterSyncMb.toFixed(0)} MB, of automation ${afterAutomationMb.toFixed(0)} MB, of the CSV export ${peakMb.toFixed(0)} MB`,
          `${total} rows: sync ${(syncedMs / 1000).toFixed(1)} s, read models and automation done after ${(automatedMs / 1000).toFixed(1)} s, ${(cpuMs / 1000).toFixed(1)} s of processor time`,
        ],
      };
    } finally {
      await child.stop();
      folder.remove();
    }
  },
};

async function connectDemoBank(call: Call): Promise<string> {
  const { id } = await call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Bench' });
  await call('PUT', `/banks/accounts/${id}/credentials`, { seed: 'bench', transactionsPerDay: ROWS_A_DAY });
  await call('POST', `/banks/accounts/${id}/setup`);
  await until(async () => {
    const { subAccounts } = await call<{ subAccounts: unknown[] }>('GET', `/banks/accounts/${id}`);
    return subAccounts.length > 0;
  });
  return id;
}

async function makeRules(call: Call): Promise<void> {
  const conditions = [
    { field: 'description', operator: 'contains', value: 'fatura' },
    { field: 'code', operator: 'equals', value: 'MAAS' },
    { field: 'description', operator: 'contains', value: 'kira' },
    { field: 'code', operator: 'in', value: ['VRG', 'MSF'] },
    { field: 'amount', operator: 'at_least', value: 50_000 },
  ];
  for (const [index, condition] of conditions.entries()) {
    await call('POST', '/banks/transaction-rules', {
      name: `Rule ${index}`,
      conditions: { combinator: 'all', children: [condition] },
      actions: [
        {
          type: 'attach_reference',
          reference: { source: 'erp', entityType: 'ledger-account', externalId: `account-${index}` },
        },
      ],
      tags: [`tag-${index}`],
    });
  }
}

type Sync = { readonly status: string; readonly counts: { readonly inserted: number } };

async function syncEnded(call: Call, id: string): Promise<Sync> {
  for (;;) {
    const { items } = await call<{ items: Sync[] }>('GET', `/banks/accounts/${id}/syncs?limit=1`);
    const [newest] = items;
    if (newest !== undefined && !['queued', 'running'].includes(newest.status)) return newest;
    await pause(250);
  }
}

/** Until automation has evaluated everything and every read model contains it. */
async function automated(call: Call, ask: () => Promise<State>): Promise<void> {
  await until(async () => {
    const { items } = await call<{ items: unknown[] }>('GET', '/banks/transactions?automationStatus=pending&limit=1');
    return items.length === 0 && (await ask()).behind.length === 0;
  });
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await pause(250);
}

async function countCsvLines(url: string): Promise<number> {
  const response = await fetch(`${url}/banks/transactions/export`, { headers: API_HEADERS });
  if (!response.ok || response.body === null) throw new Error(`the export answered ${response.status}`);
  let lines = 0;
  for await (const chunk of response.body) for (const byte of chunk as Uint8Array) if (byte === 10) lines += 1;
  return lines;
}
