import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { projections } from '../../src/projections/all.ts';
import { READ_MODELS_FILE } from '../../src/readstore/embedded/two-files.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { openReadStore } from '../../src/wiring/stores.ts';
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
const releases: (() => void)[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-whole-'));
});
afterEach(async () => {
  for (const release of releases.splice(0)) release();
  await stopAll();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(options: Parameters<typeof startTestService>[0] = {}): Promise<TestService> {
  const api = await startTestService({ dataDir, ...options });
  services.push(api);
  return api;
}

async function stopAll(): Promise<void> {
  await Promise.all(services.splice(0).map((api) => api.stop()));
}

function deleteReadModels(): void {
  for (const file of readdirSync(dataDir)) if (file.startsWith(READ_MODELS_FILE)) rmSync(join(dataDir, file));
}

/** The read models take no batch until released, except those with these names. */
function held(except: readonly string[] = []): { release: () => void; hold: (readStore: ReadStore) => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  releases.push(resolve);
  return {
    release: resolve,
    hold(readStore) {
      const { commitBatch } = readStore;
      Object.assign(readStore, {
        commitBatch: async (...batch: Parameters<typeof commitBatch>) => {
          const { collection, documents } = batch[0];
          const isHeld = !except.some((name) => collection.name.startsWith(`${name}_v`));
          if (isHeld && documents.length > 0) await promise;
          return commitBatch.apply(readStore, batch);
        },
      });
    },
  };
}

const PATHS = [
  '/banks/transactions',
  '/banks/accounts',
  '/banks/transaction-rules',
  '/banks/assignments',
  '/banks/rule-runs',
  '/banks/schedules',
  '/banks/audit/history',
  '/banks/analytics/queries/cash-flow/results',
];

async function answersOf(api: TestService): Promise<Record<string, number | string | undefined>> {
  const answers: Record<string, number | string | undefined> = {};
  for (const path of PATHS) {
    const answer = await api.call('GET', path);
    answers[path] = answer.status === 200 ? 200 : `${answer.body.code} ${answer.headers.get('retry-after')}`;
  }
  return answers;
}

const all = <T>(value: T): Record<string, T> => Object.fromEntries(PATHS.map((path) => [path, value]));

async function fill(api: TestService): Promise<void> {
  const rule = {
    name: 'All',
    conditions: { children: [{ field: 'amount', operator: 'at_least', value: 0 }] },
    actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId: '1' } }],
  };
  expect((await api.call('POST', '/banks/transaction-rules', rule)).status).toBe(201);
  // One batch of the log: between two, a held read model may be written, and holds the others.
  await syncAndWait(api, await connectDemoBank(api), { from: '2026-03-01', to: '2026-03-14' });
  await automationDone(api);
  const { httpServices, log } = api.service;
  await httpServices.waitFor(
    projections.map(({ name }) => name),
    await log.head(),
    20_000,
  );
}

describe('a read model', () => {
  it('is whole at once in a first start on an empty log', async () => {
    expect(await answersOf(await start())).toEqual(all(200));
  });

  it.each([
    { whole: 'none', except: [], answering: [] as string[] },
    // Of runs and schedules the log has no event, so that their read models are whole as soon as they have passed it.
    {
      whole: 'those of keys and companies',
      except: ['api-keys', 'companies'],
      answering: ['/banks/rule-runs', '/banks/schedules'],
    },
  ])('refuses to answer with a part of its rows; whole are $whole', async ({ except, answering }) => {
    await fill(await start());
    await stopAll();
    deleteReadModels();
    const store = held(except);
    const api = await start({ onReadStore: store.hold });
    const { partial } = api.service.httpServices;
    await eventually(
      () => partial(except),
      (names) => names.length === 0,
    );
    const refused = Object.entries(await answersOf(api)).filter(([path]) => !answering.includes(path));
    expect(refused.map(([, answer]) => answer)).toEqual(refused.map(() => 'READ_MODEL_BEHIND 5'));
    expect((await api.call('GET', '/health/ready')).status).toBe(503);
    store.release();
    await eventually(
      () => api.call('GET', '/health/ready'),
      ({ status }) => status === 200,
    );
    expect(await answersOf(api)).toEqual(all(200));
  });

  it('answers at once after a restart, also where it has not caught up again', async () => {
    await fill(await start());
    await stopAll();
    const store = held();
    const api = await start({ onReadStore: store.hold });
    await api.call('POST', '/banks/accounts', { bankCode: 'demo', title: 'Not folded yet' });
    expect(await answersOf(api)).toEqual(all(200));
    store.release();
  });

  it('that a former release has filled is as whole as it was', async () => {
    await fill(await start());
    await stopAll();
    const read = readConfig({ DATA_DIR: dataDir });
    if (!read.ok) throw new Error(read.faults.join('\n'));
    const readStore = await openReadStore(read.config);
    await readStore.dropCollection('projection_fills');
    await readStore.close();
    const store = held();
    expect(await answersOf(await start({ onReadStore: store.hold }))).toEqual(all(200));
    store.release();
  });
});
