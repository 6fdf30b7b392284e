import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import { type TransactionDocument, transactions } from '../../src/projections/transactions.ts';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  eventually,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

type Replay = {
  id: string;
  status: string;
  equal: boolean | null;
  processedEvents: number;
  totalEvents: number | null;
  readModels: {
    name: string;
    documents: number;
    liveDocuments: number;
    digest: string;
    liveDigest: string;
    equal: boolean;
    changedSince: number;
    differences: { documentId: string; kind: string; paths: string[] }[];
  }[];
};

const reference = { source: 'erp', entityType: 'invoice', externalId: 'replay' };
const draft = {
  name: 'Replay',
  conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
  actions: [{ type: 'attach_reference', reference }],
};

let api: TestService;
let connection: string;
beforeAll(async () => {
  api = await startTestService();
  await api.call('POST', '/banks/transaction-rules', draft);
  connection = await connectDemoBank(api, { transactionsPerDay: 10 });
  await syncAndWait(api, connection, { from: '2026-01-01', to: '2026-01-06' });
  await automationDone(api);
});
afterAll(() => api.stop());

async function replayed(body: object = {}): Promise<Replay> {
  const asked = await api.call<Replay>('POST', '/banks/audit/replays', body);
  const { equal, totalEvents } = asked.body.result;
  expect([asked.status, equal, totalEvents]).toEqual([202, null, null]);
  return eventually(
    async () => (await api.call<Replay>('GET', `/banks/audit/replays/${asked.body.result.id}`)).body.result,
    ({ status }) => status === 'completed' || status === 'failed',
  );
}
const modelOf = (replay: Replay, name: string) => replay.readModels.find((one) => one.name === name);

/** The command beside the service, which answers it from this process. */
function bankReplay(): Promise<{ code: number | null; output: string }> {
  const bank = join(import.meta.dirname, '../../cli/bank.ts');
  const child = spawn(process.execPath, [bank, 'replay', COMPANY, '--url', api.service.url], {
    env: { ...CHILD_ENVIRONMENT, BANK_API_KEY: api.key, BANK_API_SECRET: api.secret },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text));
  return new Promise((done) => child.once('close', (code) => done({ code, output })));
}

describe('a replay', () => {
  it('finds the live read models equal to a rebuild from their events', async () => {
    const before = await api.service.log.head();
    const replay = await replayed();
    expect(replay).toMatchObject({ status: 'completed', equal: true });
    const model = modelOf(replay, 'transactions');
    expect(model).toMatchObject({ documents: 50, liveDocuments: 50, changedSince: 0, differences: [] });
    expect(model?.digest).toBe(model?.liveDigest);
    expect(modelOf(replay, 'assignments')?.documents).toBeGreaterThan(5);
    expect(modelOf(replay, 'connections')?.documents).toBe(1);
    expect(replay.processedEvents).toBeGreaterThan(100);
    expect(replay.totalEvents).toBe(replay.processedEvents);
    expect(await api.service.log.head()).toBe(before);
  });

  it('replays up to a moment, and compares what has changed since as it was then', async () => {
    const until = await api.service.log.head();
    const [first] = (await api.call<{ items: { id: string }[] }>('GET', '/banks/transactions?limit=1')).body.result
      .items;
    await api.call('POST', `/banks/transactions/${first?.id}/assignments`, { reference });
    await syncAndWait(api, connection, { from: '2026-01-06', to: '2026-01-08' });
    await automationDone(api);
    const replay = await replayed({ until });
    expect(replay).toMatchObject({ status: 'completed', equal: true });
    expect(modelOf(replay, 'transactions')).toMatchObject({ documents: 50, liveDocuments: 50, changedSince: 21 });
  });

  it('names what differs', async () => {
    const collection = api.service.readStore.collection<TransactionDocument>(collectionSpec(transactions));
    const [one, other] = await collection.find({
      filter: [{ field: 'tenantId', op: 'eq', value: api.tenantId }],
      sort: [],
      limit: 2,
    });
    if (one === undefined || other === undefined) throw new Error('nothing to alter');
    await collection.compareAndSet({ ...one, amount: '999999' }, one._position);
    await collection.deleteMany([other._id]);
    const replay = await replayed();
    expect(replay.equal).toBe(false);
    expect(modelOf(replay, 'transactions')).toMatchObject({
      equal: false,
      differences: [
        { documentId: one._id, kind: 'different', paths: ['amount'] },
        { documentId: other._id, kind: 'missing' },
      ],
    });
    expect(modelOf(replay, 'assignments')?.equal).toBe(true);
    const said = await bankReplay();
    expect(said.code).toBe(1);
    expect(said.output).toContain(`different ${one._id}: amount`);
    await collection.compareAndSet(one, one._position);
    await collection.putMany([other]);
    expect(await bankReplay()).toMatchObject({ code: 0, output: expect.stringContaining('all equal up to') });
  });
});
