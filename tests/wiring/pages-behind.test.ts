import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/events/event.ts';
import type { Category } from '../../src/log/streams.ts';
import { runMatches } from '../../src/projections/run-matches.ts';
import { transactions } from '../../src/projections/transactions.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { writeLargeFile } from '../support/large-statements.ts';
import {
  connectDemoBank,
  runEnded,
  startTestService,
  syncAndWait,
  type TestService,
  workEnded,
} from '../support/test-service.ts';

// What others do becomes visible behind what a sync or a run has recorded.

const SLOW_MS = 20;

type Watched = {
  readonly api: TestService;
  /** How many pages were recorded and not yet written, at each write of the read model from here on. */
  readonly watch: () => readonly number[];
};

/** A service with one read model that is slow to write: who does not wait for it records further pages meanwhile. */
async function startWithSlow(
  name: string,
  categories: readonly Category[],
  pagesIn: (events: readonly RecordedEvent[]) => number,
): Promise<Watched> {
  let isWatched = false;
  const ahead: number[] = [];
  const api: TestService = await startTestService({
    runPageSize: 100,
    onReadStore(readStore: ReadStore) {
      const { commitBatch } = readStore;
      Object.assign(readStore, {
        commitBatch: async (...batch: Parameters<typeof commitBatch>) => {
          if (isWatched && batch[0].collection.name.startsWith(`${name}_v`)) {
            await pause(SLOW_MS);
            const after = await api.service.httpServices.positionOf(name);
            const { events } = await api.service.log.readAll({ after, limit: 10_000, categories });
            ahead.push(pagesIn(events));
          }
          return commitBatch.apply(readStore, batch);
        },
      });
    },
  });
  const watch = () => {
    isWatched = true;
    return ahead;
  };
  return { api, watch };
}

const ofType = (events: readonly RecordedEvent[], wanted: string) => events.filter(({ type }) => type === wanted);

const pagesWithRows = (events: readonly RecordedEvent[]): number => {
  // The position may be the one of a page's last row, so the end of that page may come first.
  const rowsOn = events.slice(events.findIndex(({ type }) => type === 'TransactionRecorded'));
  return ofType(rowsOn, 'SyncPageIngested').length;
};

it('a sync of a bank records one page, and no more, while the read models follow the last one', async () => {
  const { api, watch } = await startWithSlow(transactions.name, ['bankTransaction', 'syncRun'], pagesWithRows);
  try {
    const id = await connectDemoBank(api, { transactionsPerDay: 60 });
    const ahead = watch();
    const { counts } = await syncAndWait(api, id, { from: '2026-03-01', to: '2026-03-30' });
    expect(counts.inserted).toBeGreaterThan(1_500);
    expect(Math.max(...ahead)).toBe(2);
  } finally {
    await api.stop();
  }
});

it('a sync of files waits until the read models show a page before it reads the next one', async () => {
  const { api, watch } = await startWithSlow(transactions.name, ['bankTransaction', 'syncRun'], pagesWithRows);
  try {
    const folder = join(api.statementsDir, 'year');
    mkdirSync(folder);
    await writeLargeFile(join(folder, 'statement.xml'), { format: 'camt.053', rows: 2_000, account: 'FILES' });
    utimesSync(join(folder, 'statement.xml'), 1_600_000_000, 1_600_000_000);
    const bank = { bankCode: 'statement-files', title: 'Files', environment: 'production' };
    const { id } = (await api.call<{ id: string }>('POST', '/banks/accounts', bank)).body.result;
    await api.call('PUT', `/banks/accounts/${id}/credentials`, { folder: 'year' });
    await workEnded(api, id, 'setup');
    const ahead = watch();
    const { counts } = await syncAndWait(api, id);
    expect(counts.inserted).toBe(2_000);
    expect(ahead.length).toBeGreaterThan(2);
    expect(Math.max(...ahead)).toBe(1);
  } finally {
    await api.stop();
  }
});

it('a run is at most a page ahead of the read models', async () => {
  const { api, watch } = await startWithSlow(runMatches.name, ['ruleRun'], (events) => {
    return ofType(events, 'RunPageDone').length;
  });
  try {
    const id = await connectDemoBank(api, { transactionsPerDay: 60 });
    await syncAndWait(api, id, { from: '2026-03-01', to: '2026-03-30' });
    const conditions = { combinator: 'all', children: [{ field: 'amount', operator: 'at_least', value: 0 }] };
    const reference = { source: 'erp', entityType: 'invoice', externalId: '1' };
    const draft = { name: 'All', conditions, actions: [{ type: 'attach_reference', reference }] };
    const rule = (await api.call<{ id: string }>('POST', '/banks/transaction-rules', draft)).body.result.id;
    const ahead = watch();
    const run = await api.call<{ id: string }>('POST', `/banks/transaction-rules/${rule}/preview-runs`, {});
    const { matchedCount } = await runEnded(api, run.body.result.id);
    expect(matchedCount).toBeGreaterThan(1_500);
    expect(ahead.length).toBeGreaterThan(2);
    expect(Math.max(...ahead)).toBe(1);
  } finally {
    await api.stop();
  }
});
