import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { eventCodec } from '../../src/events/registry.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { LOG_START } from '../../src/log/log.ts';
import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { openEmbeddedStores } from '../../src/readstore/embedded/two-files.ts';
import { seededRandom } from '../support/random.ts';
import { modelsUnlikeRebuild } from '../support/read-model-check.ts';
import { type ServiceChild, startServiceChild } from '../support/service-child.ts';

const KILLS = 25;
const SEED = 20_260_101;
const LONGEST_MS = 400;

let dataDir: string;
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

type Sync = { id: string; status: string; counts: { fetched: number; inserted: number; duplicates: number } };

async function ready(child: ServiceChild): Promise<void> {
  for (;;) {
    const { status } = await child.call('GET', '/health/ready');
    if (status === 200) return;
    await wait(10);
  }
}

function rule(externalId: string) {
  const reference = { source: 'test', entityType: 'kill', externalId };
  return {
    name: externalId,
    conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
    actions: [{ type: 'attach_reference', reference }],
  };
}

describe('kill -9 at 25 seeded moments of syncs, projection and automation', () => {
  it('loses nothing acknowledged, doubles nothing, and leaves every read model as a rebuild would', async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'bank-kill-'));
    const random = seededRandom(SEED);
    const acknowledged = { rules: [] as string[], syncs: new Set<string>() };
    let accountId = '';

    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = await startServiceChild({ DATA_DIR: dataDir });
      try {
        if (accountId === '') {
          const opened = await child.call<{ id: string }>('POST', '/banks/accounts', {
            bankCode: 'demo',
            title: 'Killed',
          });
          accountId = opened.result.id;
          await child.call('PUT', `/banks/accounts/${accountId}/credentials`, {
            seed: 'kill',
            transactionsPerDay: 100,
          });
          await child.call('POST', `/banks/accounts/${accountId}/setup`, undefined, { prefer: 'wait=20' });
        }
        const made = await child.call<{ id: string }>('POST', '/banks/transaction-rules', rule(`kill-${kill}`));
        if (made.status === 201) acknowledged.rules.push(made.result.id);
        const synced = await child.call('POST', `/banks/accounts/${accountId}/sync`);
        expect(synced.status).toBe(202);
        const { result } = await child.call<{ items: Sync[] }>('GET', `/banks/accounts/${accountId}/syncs`);
        for (const sync of result.items) acknowledged.syncs.add(sync.id);
        await wait(random() * LONGEST_MS);
      } finally {
        await child.kill('SIGKILL');
      }
    }

    const survivor = await startServiceChild({ DATA_DIR: dataDir });
    await ready(survivor);
    const last = await survivor.call('POST', `/banks/accounts/${accountId}/sync`, undefined, { prefer: 'wait=30' });
    expect([200, 202]).toContain(last.status);
    let syncs: Sync[] = [];
    for (;;) {
      const list = await survivor.call<{ items: Sync[] }>('GET', `/banks/accounts/${accountId}/syncs?limit=200`);
      const pending = await survivor.call<{ items: unknown[] }>(
        'GET',
        '/banks/transactions?automationStatus=pending&limit=1',
      );
      syncs = list.result.items;
      if (syncs.every((sync) => sync.status === 'completed') && pending.result.items.length === 0) break;
      await wait(50);
    }
    const versions = await Promise.all(
      acknowledged.rules.map((id) => survivor.call('GET', `/banks/transaction-rules/${id}`)),
    );
    expect(versions.map((answer) => answer.status)).toEqual(acknowledged.rules.map(() => 200));
    expect([...acknowledged.syncs].every((id) => syncs.some((sync) => sync.id === id))).toBe(true);
    expect(await survivor.kill('SIGTERM')).toBe(0);

    const log = openEmbeddedLog({ file: join(dataDir, 'log.sqlite'), codec: eventCodec });
    const readStore = openEmbeddedStores(dataDir);
    try {
      await log.verify();
      const recorded = new Map<string, number>();
      const evaluated = new Map<string, number>();
      let after = LOG_START;
      for (;;) {
        const { events, position } = await log.readAll({ after, limit: 1_000 });
        for (const { type, stream } of events) {
          if (type === 'TransactionRecorded') recorded.set(stream, (recorded.get(stream) ?? 0) + 1);
          if (type === 'TransactionAutomationEvaluated') evaluated.set(stream, (evaluated.get(stream) ?? 0) + 1);
        }
        if (events.length === 0) break;
        after = position;
      }
      expect(recorded.size).toBeGreaterThan(8_000);
      expect([...recorded.values()].every((count) => count === 1)).toBe(true);
      expect([...evaluated.values()].every((count) => count === 1)).toBe(true);
      expect(evaluated.size).toBe(recorded.size);
      const inserted = syncs.reduce((sum, sync) => sum + sync.counts.inserted, 0);
      expect(inserted).toBe(recorded.size);
      expect(syncs.every(({ counts }) => counts.inserted + counts.duplicates === counts.fetched)).toBe(true);
      expect(await readStore.collection(collectionSpec(transactions)).count([])).toBe(recorded.size);
      expect(await modelsUnlikeRebuild(log, readStore)).toEqual([]);
    } finally {
      await readStore.close();
      await log.close();
    }
  });
});
