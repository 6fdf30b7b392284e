import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { collectionSpec, versionedName } from '../../src/projections/engine/runnable.ts';
import { transactions } from '../../src/projections/transactions.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { type Service, startService } from '../../src/wiring/service.ts';
import { LARGEST_POSITION } from '../support/poisoned-read-store.ts';
import { eventually, startTestService } from '../support/test-service.ts';

type Part = { name: string; state: string; ok: boolean; error?: string };

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function putAhead(readStore: ReadStore): Promise<void> {
  const name = versionedName(transactions);
  const before = (await readStore.checkpoints([name])).get(name);
  const checkpoint = {
    name,
    expected: before?.position ?? null,
    position: LARGEST_POSITION,
    fence: (before?.fence ?? 0) + 1,
  };
  const collection = collectionSpec(transactions);
  expect(await readStore.commitBatch({ collection, documents: [], checkpoint })).toBe('committed');
}

async function readiness(url: string): Promise<{ status: number; faults: Part[] }> {
  const response = await fetch(`${url}/health/ready`);
  const body = (await response.json()) as { meta?: { parts: Part[] } };
  return { status: response.status, faults: body.meta?.parts.filter(({ ok }) => !ok) ?? [] };
}

const AHEAD = [
  { name: 'projection transactions', state: 'ahead', ok: false, error: 'its checkpoint is ahead of the log' },
];

describe('an instance while a checkpoint is ahead of the log', () => {
  it('is not ready, and is again once the projection has started again', async () => {
    const api = await startTestService();
    stops.push(api.stop);
    const { url, readStore } = api.service;
    await eventually(
      () => readiness(url),
      ({ status }) => status === 200,
    );
    await putAhead(readStore);
    expect(await readiness(url)).toEqual({ status: 503, faults: AHEAD });
    // The events to come make the worker find that its checkpoint was moved.
    await eventually(
      async () => {
        await api.call('POST', '/banks/accounts', { bankCode: 'demo', title: 'Next' });
        return readiness(url);
      },
      ({ status }) => status === 200,
    );
    expect(api.logLines.filter((line) => line.includes('folded again from the start'))).toHaveLength(1);
  });

  it('is not ready where it runs no projection either', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'bank-'));
    const read = readConfig({ HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir });
    if (!read.ok) throw new Error(read.faults.join('\n'));
    const logger = pino({ level: 'silent' });
    // The configuration refuses this role with embedded stores, which one process alone can use all the same.
    const worker = await startService({ config: read.config, logger });
    await eventually(
      () => readiness(worker.url),
      ({ status }) => status === 200,
    );
    await worker.stop();
    const service: Service = await startService({ config: { ...read.config, role: 'api' }, logger });
    stops.push(async () => {
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    });
    expect(await readiness(service.url)).toEqual({ status: 200, faults: [] });
    await putAhead(service.readStore);
    expect(await readiness(service.url)).toEqual({ status: 503, faults: AHEAD });
  });
});
