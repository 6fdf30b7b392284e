import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Append, EventLog } from '../../src/log/log.ts';
import { READ_MODELS_FILE } from '../../src/readstore/embedded/two-files.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import {
  automationDone,
  connectDemoBank,
  eventually,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

let dataDir: string;
const services: TestService[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-catch-up-'));
});
afterEach(async () => {
  await stopAll();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(onReadStore: (readStore: ReadStore) => void = () => {}): Promise<TestService> {
  const api = await startTestService({ dataDir, onReadStore, environment: { DEMO_BANK: 'on' } });
  services.push(api);
  return api;
}

async function stopAll(): Promise<void> {
  await Promise.all(services.splice(0).map((api) => api.stop()));
}

/** Writes the read models in small pieces, one after the other, once released: workers see each of them. */
function slowly(): { release: () => void; slowDown: (readStore: ReadStore) => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    release: resolve,
    slowDown(readStore) {
      const { commitBatch } = readStore;
      Object.assign(readStore, {
        commitBatch: async (...batch: Parameters<typeof commitBatch>) => {
          if (batch[0].documents.length > 0) await promise;
          const outcome = await commitBatch.apply(readStore, batch);
          if (batch[0].documents.length > 0) await new Promise((done) => setTimeout(done, 50));
          return outcome;
        },
      });
    },
  };
}

/** The streams that were appended to. */
function appendsOf(log: EventLog): string[] {
  const streams: string[] = [];
  const { append, appendMany } = log;
  Object.assign(log, {
    append: (one: Append) => {
      streams.push(one.stream);
      return append.call(log, one);
    },
    appendMany: (many: readonly Append[]) => {
      streams.push(...many.map(({ stream }) => stream));
      return appendMany.call(log, many);
    },
  });
  return streams;
}

async function bankCalls(api: TestService): Promise<number> {
  let calls = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { items: unknown[]; nextCursor: string | null } = (
      await api.call<{ items: unknown[]; nextCursor: string | null }>(
        'GET',
        `/banks/audit/connector-logs?limit=200${after}`,
      )
    ).body.result;
    calls += page.items.length;
    cursor = page.nextCursor;
  }
  return calls;
}

describe('a catch-up from nothing', () => {
  it('lets workers act only when it is over, and normally then', async () => {
    const api = await start();
    const rule = {
      name: 'All',
      conditions: { children: [{ field: 'amount', operator: 'at_least', value: 0 }] },
      actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId: '1' } }],
    };
    expect((await api.call('POST', '/banks/transaction-rules', rule)).status).toBe(201);
    const id = await connectDemoBank(api, { transactionsPerDay: 20 });
    await syncAndWait(api, id);
    await automationDone(api);
    const before = await bankCalls(api);
    const head = await api.service.log.head();
    await stopAll();
    for (const file of readdirSync(dataDir)) if (file.startsWith(READ_MODELS_FILE)) rmSync(join(dataDir, file));

    const store = slowly();
    const again = await start(store.slowDown);
    const appends = appendsOf(again.service.log);
    store.release();
    await eventually(
      () => again.call('GET', '/health/ready'),
      ({ status }) => status === 200,
      60_000,
    );
    expect(appends).toEqual([]);
    expect(await again.service.log.head()).toBe(head);
    expect(await bankCalls(again)).toBe(before);

    const synced = await syncAndWait(again, id);
    expect(synced.status).toBe('completed');
    expect(await bankCalls(again)).toBeGreaterThan(before);
    await automationDone(again);
  });
});
