import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { EventCodec, NewEvent } from '../../../src/events/event.ts';
import { openEmbeddedLog } from '../../../src/log/embedded/embedded-log.ts';
import { streamName } from '../../../src/log/streams.ts';
import { digestCollection } from '../../../src/projections/engine/digest.ts';
import { startProjections } from '../../../src/projections/engine/projection-runner.ts';
import { rebuildProjections } from '../../../src/projections/engine/rebuild.ts';
import { collectionSpec } from '../../../src/projections/engine/runnable.ts';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { newId } from '../../../src/shared/ids.ts';
import { sums } from './sums.ts';

const LONG_MS = 20_000;
const asIs: EventCodec = { check: () => {}, upcast: (_type, schemaVersion, data) => ({ schemaVersion, data }) };

const event = (key: string, amount: number): NewEvent => ({
  id: newId(),
  type: amount % 6 === 0 ? 'Shared' : 'Added',
  data: { key, amount },
  metadata: {
    schemaVersion: 1,
    tenantId: 't1',
    companyId: null,
    actor: { type: 'system', id: 'test' },
    correlationId: newId(),
    causationId: null,
  },
});

it('read models on the embedded log keep up with many writers, across restarts, and equal a fresh rebuild', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'projections-'));
  const log = openEmbeddedLog({ file: join(folder, 'log.sqlite'), codec: asIs });
  const readStore = openEmbeddedReadStore({ file: join(folder, 'read.sqlite') });
  try {
    const projections = ['one', 'two', 'three'].map((name) => sums({ name }));
    const names = projections.map((projection) => projection.name);
    let last = '';
    for (let round = 0; round < 4; round += 1) {
      const runner = startProjections({ log, readStore, projections, clock: systemClock, owner: 'embedded' });
      const appends = Array.from({ length: 120 }, async (_, n) => {
        const stream = streamName('bankTransaction', 't1', `${round}-${n}`);
        const events = [event(`k${n % 11}`, n), event(`k${n % 13}`, n + 1)];
        const result = await log.append({ stream, expected: 'no-stream', events });
        if (result.outcome !== 'appended') throw new Error('not appended');
        // A writer finds its event in every read model after waiting for its position.
        if (n % 10 === 0) expect(await runner.waitFor(names, result.position, LONG_MS)).toBe(true);
        if (result.position > last) last = result.position;
      });
      await Promise.all(appends);
      if (round % 2 === 0) expect(await runner.waitFor(names, last, LONG_MS)).toBe(true);
      await runner.stop();
    }
    const runner = startProjections({ log, readStore, projections, clock: systemClock, owner: 'embedded' });
    expect(await runner.waitFor(names, last, LONG_MS)).toBe(true);
    await runner.stop();
    const rebuilt = await rebuildProjections({ log, readStore, projections });
    for (const [at, projection] of projections.entries()) {
      const fresh = rebuilt[at];
      expect(fresh?.position).toBe(last);
      expect(await readStore.collection(collectionSpec(projection)).count([])).toBe(14);
      const live = await digestCollection(readStore, collectionSpec(projection));
      expect(fresh && (await digestCollection(readStore, fresh.collection))).toBe(live);
    }
  } finally {
    await readStore.close();
    await log.close();
    await rm(folder, { recursive: true });
  }
});
