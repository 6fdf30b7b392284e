import { afterEach, beforeEach, expect, it } from 'vitest';
import { CONNECTOR_BODIES } from '../../src/providers/connector-bodies.ts';
import {
  CONNECTOR_LOGS,
  type ConnectorLog,
  type ConnectorLogs,
  openConnectorLogs,
} from '../../src/providers/connector-logs.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { Document, ReadStore } from '../../src/readstore/read-store.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-03-01T10:00:00.000Z');
const LONG = JSON.stringify({ rows: Array.from({ length: 50 }, (_, nth) => ({ nth, text: 'as every time' })) });

let nowMs: number;
let readStore: ReadStore;
let logs: ConnectorLogs;

beforeEach(async () => {
  nowMs = START;
  readStore = openEmbeddedReadStore({ file: ':memory:' });
  logs = await openConnectorLogs({ readStore, clock: { now: () => nowMs } });
});
afterEach(() => readStore.close());

const VIEWER = { tenantId: 'tenant', companies: null };

function record(change: Partial<ConnectorLog> = {}, text: string | null = LONG): ConnectorLog {
  const body = { size: 7_000, sha256: 'of the original', truncated: false, text };
  return {
    tenantId: 'tenant',
    companyId: 'company',
    accountId: 'account',
    bankCode: 'demo',
    environment: 'demo',
    syncId: 'sync',
    setupId: null,
    operation: 'page',
    page: 1,
    at: new Date(nowMs).toISOString(),
    durationMs: 1,
    outcome: 'success',
    error: null,
    method: 'GET',
    url: 'https://bank.example/',
    status: 200,
    request: { headers: {}, body: null },
    response: { headers: { a: 'b' }, body },
    correlationId: 'run',
    ...change,
  };
}

const bodies = (): Promise<number> => readStore.collection(CONNECTOR_BODIES).count([]);
const page = async () => (await logs.page(VIEWER, { filter: {}, limit: 10 })).items;

it('keeps an answer once that came several times, and returns it with every record', async () => {
  for (const syncId of ['one', 'two', 'three']) await logs.write(record({ syncId }));
  expect(await bodies()).toBe(1);
  const items = await page();
  expect(items.map(({ syncId }) => syncId)).toEqual(['three', 'two', 'one']);
  for (const item of items) {
    expect(item).toMatchObject(record({ syncId: item.syncId }));
    expect(await logs.get(VIEWER, item.id)).toEqual(item);
    expect(item).not.toHaveProperty('texts');
  }
});

it('keeps one for each tenant, each text and each day, short ones in their record', async () => {
  await logs.write(record());
  await logs.write(record({ tenantId: 'other' }));
  await logs.write(record({}, `${LONG} `));
  await logs.write(record({}, 'short'));
  await logs.write(record({}, null));
  expect(await bodies()).toBe(3);
  nowMs += DAY_MS;
  await logs.write(record());
  expect(await bodies()).toBe(4);
  expect((await page()).map(({ response }) => response?.body?.text)).toEqual([LONG, null, 'short', `${LONG} `, LONG]);
});

it('keeps what was sent as well', async () => {
  const { response } = record();
  await logs.write(record({ request: response, response: null }));
  expect((await page())[0]).toMatchObject({ request: response, response: null });
});

it('keeps an answer as long as the last record with it, and deletes it within the day after that', async () => {
  await logs.write(record({ syncId: 'first' }));
  nowMs = START + 13 * 3_600_000;
  await logs.write(record({ syncId: 'last' }));
  nowMs += 90 * DAY_MS - 1;
  while (await logs.sweep());
  expect(await page()).toMatchObject([record({ at: new Date(START + 13 * 3_600_000).toISOString(), syncId: 'last' })]);
  nowMs = START + 91 * DAY_MS;
  while (await logs.sweep());
  expect(await bodies()).toBe(0);
});

it('returns a record whose text a former release kept in it', async () => {
  await logs.write(record({}, 'short'));
  const collection = readStore.collection<Document & ConnectorLog>(CONNECTOR_LOGS);
  const [stored] = await collection.find({ filter: [], sort: [], limit: 1 });
  if (stored === undefined) throw new Error('nothing is on record');
  expect(await collection.compareAndSet({ ...stored, response: record().response }, stored._position)).toBe(true);
  expect((await page())[0]?.response).toEqual(record().response);
});
