import { describe, expect, it } from 'vitest';
import { LOG_START } from '../../src/log/log.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { modelsUnlikeRebuild } from './read-model-check.ts';
import { connectDemoBank, eventually, startTestService, type TestService } from './test-service.ts';

const ROWS = 20_000;
const WINDOW = { from: '2026-01-05', to: '2026-01-06' };

async function countRecorded(api: TestService): Promise<{ events: number; streams: number }> {
  const { log } = api.service;
  const streams = new Set<string>();
  let events = 0;
  let after = LOG_START;
  for (;;) {
    const batch = await log.readAll({ after, limit: 1_000 });
    if (batch.events.length === 0) return { events, streams: streams.size };
    for (const { type, stream } of batch.events) {
      if (type !== 'TransactionRecorded') continue;
      events += 1;
      streams.add(stream);
    }
    after = batch.position;
  }
}

/** The log that a test service is to use, and how to release it. */
export type LogUnderTest = { readonly environment: Record<string, string>; readonly stop: () => Promise<void> };

export function exactlyOnce(name: string, openLog: () => Promise<LogUnderTest>): void {
  describe(`two connections that see the same 20,000 rows, on ${name}`, () => {
    it('leave 20,000 transactions after 5 syncs asked for in parallel', { timeout: 1_200_000 }, async () => {
      const { environment, stop } = await openLog();
      const api = await startTestService({ environment, checkAnswers: false });
      try {
        await provenOn(api);
      } finally {
        await api.stop();
        await stop();
      }
    });
  });
}

async function provenOn(api: TestService): Promise<void> {
  const credentials = { seed: 'shared', transactionsPerDay: ROWS };
  const one = await connectDemoBank(api, credentials);
  const other = await connectDemoBank(api, credentials);

  const asked = [one, other, one, other, one].map((id) => api.call('POST', `/banks/accounts/${id}/sync`, WINDOW));
  expect((await Promise.all(asked)).map((answer) => answer.status)).toEqual([202, 202, 202, 202, 202]);

  type Sync = { status: string; counts: { fetched: number; inserted: number } };
  const syncs = async (): Promise<Sync[]> => {
    const lists = await Promise.all(
      [one, other].map((id) => api.call<{ items: Sync[] }>('GET', `/banks/accounts/${id}/syncs`)),
    );
    return lists.flatMap((list) => list.body.result.items);
  };
  const ended = await eventually(
    syncs,
    (all) => all.length === 2 && all.every((sync) => sync.status === 'completed'),
    600_000,
  );
  expect(ended.map((sync) => sync.counts.fetched)).toEqual([ROWS, ROWS]);
  expect(ended.reduce((sum, sync) => sum + sync.counts.inserted, 0)).toBe(ROWS);
  expect(await countRecorded(api)).toEqual({ events: ROWS, streams: ROWS });

  await eventually(
    async () => {
      const [waiting] = await api.service.reactorServices.readModels.of(transactions).find({
        filter: [{ field: 'automationDueAt', op: 'gt', value: '' }],
        sort: [],
        limit: 1,
      });
      return waiting === undefined;
    },
    (done) => done,
    600_000,
  );
  expect(await api.service.reactorServices.readModels.of(transactions).count([])).toBe(ROWS);
  const head = await api.service.log.head();
  expect(await api.service.httpServices.waitFor(['transactions', 'assignments', 'sync-runs'], head, 600_000)).toBe(
    true,
  );
  // Seals are appended during the comparison: whatever differs because of them must be equal soon after.
  await eventually(
    () => modelsUnlikeRebuild(api.service.log, api.service.readStore),
    (unlike) => unlike.length === 0,
    600_000,
  );
}
