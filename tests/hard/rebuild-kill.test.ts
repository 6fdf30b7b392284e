import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventCodec } from '../../src/events/registry.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { projections } from '../../src/projections/all.ts';
import { digestCollection } from '../../src/projections/engine/digest.ts';
import { openRegistry } from '../../src/projections/engine/live-versions.ts';
import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import { openEmbeddedStores } from '../../src/readstore/embedded/two-files.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { seededRandom } from '../support/random.ts';
import { modelsUnlikeRebuild } from '../support/read-model-check.ts';
import { type ServiceChild, startServiceChild } from '../support/service-child.ts';
import { eventually } from '../support/test-service.ts';

/** For what hangs, also where other programs leave little of a processor. */
const WITHIN_MS = 600_000;
const KILLS = 12;
const SEED = 20_260_606;
const SLOW_FOLDS = { NODE_OPTIONS: `--import=${new URL('../support/slow-folds.ts', import.meta.url)}` };
const NEXT_VERSIONS = { NODE_OPTIONS: `--import=${new URL('../support/next-versions.ts', import.meta.url)}` };

/** Too few events for a seal, so that nothing is written but what a test writes. */
const ROWS_A_DAY = 100;

let dataDir: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-rebuild-kill-'));
  await atRest(async (child) => {
    await child.call('POST', '/banks/transaction-rules', rule('before'));
    const { result } = await child.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Kept' });
    await child.call('PUT', `/banks/accounts/${result.id}/credentials`, {
      seed: 'kept',
      transactionsPerDay: ROWS_A_DAY,
    });
    await child.call('POST', `/banks/accounts/${result.id}/setup`, undefined, { prefer: 'wait=20' });
    const window = { from: '2026-01-01', to: '2026-01-31' };
    await child.call('POST', `/banks/accounts/${result.id}/sync`, window, { prefer: 'wait=30' });
  });
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

function rule(externalId: string) {
  const reference = { source: 'test', entityType: 'rebuild', externalId };
  return {
    name: externalId,
    conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
    actions: [{ type: 'attach_reference', reference }],
  };
}

async function ready(child: ServiceChild): Promise<void> {
  await eventually(
    () => child.call('GET', '/health/ready'),
    ({ status }) => status === 200,
    WITHIN_MS,
  );
}

/** Works with a service of this release, and stops it once every read model is where the log is. */
async function atRest(work: (child: ServiceChild) => Promise<void>, environment = {}): Promise<void> {
  const child = await startServiceChild({ DATA_DIR: dataDir, ...environment });
  await ready(child);
  await work(child);
  await eventually(
    () => child.call<{ items: unknown[] }>('GET', '/banks/transactions?automationStatus=pending&limit=1'),
    ({ result }) => result.items.length === 0,
    WITHIN_MS,
  );
  expect(await child.kill('SIGTERM')).toBe(0);
}

/** The stores as a process that was killed left them. */
async function onStores<T>(look: (readStore: ReadStore) => Promise<T>): Promise<T> {
  const readStore = openEmbeddedStores(dataDir);
  try {
    return await look(readStore);
  } finally {
    await readStore.close();
  }
}

/** By the names of the read models of this release. */
const liveDigests = () =>
  onStores(async (readStore) => {
    const digests = projections.map(async (projection) => {
      return [projection.name, await digestCollection(readStore, collectionSpec(projection))];
    });
    return Object.fromEntries(await Promise.all(digests));
  });

/** The read models of which readers still get a version before the next one; also of a service that runs. */
const versionsBehind = () =>
  onStores(async (readStore) => {
    const live = await (await openRegistry(readStore)).getMany(projections.map(({ name }) => name));
    return projections.filter(({ name, version }) => live.get(name)?.live !== version + 1).map(({ name }) => name);
  });

function tablesLike(pattern: string): unknown[] {
  const database = new DatabaseSync(join(dataDir, 'read-models.sqlite'), { readOnly: true });
  try {
    return database.prepare('SELECT name FROM sqlite_schema WHERE type = ? AND name GLOB ?').all('table', pattern);
  } finally {
    database.close();
  }
}

describe('kill -9 at 12 seeded moments', () => {
  it('of a replay leaves the live read models as they were; the next process ends it and keeps nothing of it', async () => {
    const random = seededRandom(SEED);
    const before = await liveDigests();
    const cut: string[] = [];
    let halfWay = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = await startServiceChild({ DATA_DIR: dataDir, ...SLOW_FOLDS });
      try {
        await ready(child);
        const asked = await child.call<{ id: string }>('POST', '/banks/audit/replays', {});
        expect(asked.status).toBe(202);
        cut.push(asked.result.id);
        await eventually(
          () => child.call<{ status: string }>('GET', `/banks/audit/replays/${asked.result.id}`),
          ({ result }) => result.status !== 'pending',
        );
        await wait(random() * 300);
      } finally {
        await child.kill('SIGKILL');
      }
      if (tablesLike('docs:replay_*').length > 0) halfWay += 1;
    }
    expect(halfWay).toBeGreaterThan(KILLS / 3);
    expect(await liveDigests()).toEqual(before);
    await atRest(async (child) => {
      for (const id of cut) {
        const ended = await eventually(
          () => child.call<{ status: string; equal: boolean }>('GET', `/banks/audit/replays/${id}`),
          ({ result }) => result.status !== 'pending' && result.status !== 'processing',
          WITHIN_MS,
        );
        expect(ended.result).toMatchObject({ status: 'completed', equal: true });
      }
    });
    expect(tablesLike('docs:replay_*')).toEqual([]);
    expect(await liveDigests()).toEqual(before);
  });

  it('of building the next version of every read model leaves the live one untouched and read, until the new one equals the log', async () => {
    const random = seededRandom(SEED + 1);
    const path = '/banks/transactions?limit=200&sort=transactionDate';
    let shown: unknown;
    await atRest(async (child) => {
      shown = (await child.call('GET', path)).result;
    });
    const before = await liveDigests();
    const made: string[] = [];
    let unfinished = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = await startServiceChild({ DATA_DIR: dataDir, ...NEXT_VERSIONS });
      try {
        // Building the new versions takes seconds, so that most kills find them unfinished.
        const endsAt = performance.now() + random() * 150;
        for (let round = 0; round === 0 || performance.now() < endsAt; round += 1) {
          const read = await child.call('GET', path);
          expect(read.status).toBe(200);
          expect(read.result).toEqual(shown);
          const written = await child.call<{ id: string }>(
            'POST',
            '/banks/transaction-rules',
            rule(`${kill}-${round}`),
          );
          expect(written.status).toBe(201);
          made.push(written.result.id);
        }
      } finally {
        await child.kill('SIGKILL');
      }
      if ((await versionsBehind()).length > 0) unfinished += 1;
    }
    expect(unfinished).toBeGreaterThan(KILLS / 3);

    await atRest(async (child) => {
      for (const id of made) {
        await eventually(
          () => child.call('GET', `/banks/transaction-rules/${id}`),
          ({ status }) => status === 200,
          WITHIN_MS,
        );
      }
      // A service that ends before its new versions are whole leaves the rest to the next one.
      await eventually(versionsBehind, (behind) => behind.length === 0, WITHIN_MS);
    }, NEXT_VERSIONS);
    const log = openEmbeddedLog({ file: join(dataDir, 'log.sqlite'), codec: eventCodec });
    try {
      const next = projections.map((projection) => ({ ...projection, version: projection.version + 1 }));
      expect(await onStores((readStore) => modelsUnlikeRebuild(log, readStore, next))).toEqual([]);
    } finally {
      await log.close();
    }
    // The version before is kept for going back, as it was when the next release came.
    expect(await liveDigests()).toEqual(before);
  });
});
