import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogUnavailable } from '../../../src/log/log.ts';
import { PARKINGS, type Parking } from '../../../src/projections/engine/parkings.ts';
import {
  type Applied,
  type ProjectionRunner,
  startProjections,
} from '../../../src/projections/engine/projection-runner.ts';
import type { ProjectionStatus } from '../../../src/projections/engine/projection-status.ts';
import type { RunnableProjection } from '../../../src/projections/engine/runnable.ts';
import type { Projection } from '../../../src/projections/projection.ts';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import { eventually } from './eventually.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';
import { type ScriptedLog, scriptedLog } from './scripted-log.ts';
import { expectedSums, type SumDocument, sums } from './sums.ts';

const LONG_MS = 20_000;
const QUICK = { tickMs: 5, pollMs: 2, backoffFirstMs: 1, backoffMostMs: 5 };

describe('the projection runner', () => {
  let log: ScriptedLog;
  let store: FaultyStore;
  let nowMs: number;
  const runners: ProjectionRunner[] = [];
  const errors: unknown[] = [];

  beforeEach(() => {
    log = scriptedLog();
    store = faultyStore(openEmbeddedReadStore({ file: ':memory:' }));
    nowMs = 1_700_000_100_000;
    errors.length = 0;
  });
  afterEach(async () => {
    for (const runner of runners.splice(0)) await runner.stop();
    await store.close();
  });

  function start(
    projections: readonly RunnableProjection[],
    options: Partial<Parameters<typeof startProjections>[0]> = {},
  ): ProjectionRunner {
    const runner = startProjections({
      log,
      readStore: store,
      projections,
      clock: { now: () => nowMs },
      owner: 'one',
      timing: QUICK,
      onError: (error) => errors.push(error),
      ...options,
    });
    runners.push(runner);
    return runner;
  }

  const stop = async (runner: ProjectionRunner): Promise<void> => {
    runners.splice(runners.indexOf(runner), 1);
    await runner.stop();
  };

  const documentsOf = async (projection: Projection<SumDocument>): Promise<Map<string, SumDocument>> => {
    const spec = { name: `${projection.name}_v${projection.version}`, indexes: projection.indexes };
    const all = await store.collection<SumDocument>(spec).find({ filter: [], sort: [], limit: 10_000 });
    return new Map(all.map((document) => [document._id, document]));
  };

  const statusOf = (runner: ProjectionRunner, name = 'sums'): ProjectionStatus => {
    const status = runner.status().find((each) => each.name === name);
    if (status === undefined) throw new Error(`no status of ${name}`);
    return status;
  };

  const many = (count: number, keys = 10): { type: string; key: string; amount: number }[] =>
    Array.from({ length: count }, (_, n) => ({
      type: n % 7 === 0 ? 'Shared' : 'Added',
      key: `k${n % keys}`,
      amount: n,
    }));

  it('folds existing and new events', async () => {
    const projection = sums();
    const first = log.record(...many(50));
    const runner = start([projection]);
    expect(await runner.waitFor(['sums'], first, LONG_MS)).toBe(true);
    expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
    const second = log.record(...many(20, 3));
    expect(await runner.waitFor(['sums'], second, LONG_MS)).toBe(true);
    expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
    await eventually(() => expect(statusOf(runner).state).toBe('live'));
    expect(statusOf(runner)).toMatchObject({
      name: 'sums',
      version: 1,
      position: second,
      lagEvents: 0,
      lagMs: 0,
      error: null,
    });
  });

  it('does not fold a document from an older state while it is being written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'projections-'));
    const onDisk = openEmbeddedReadStore({ file: join(folder, 'read.sqlite') });
    try {
      const projection = sums();
      // Each key comes back soon after it was last written, and among more keys than are kept.
      const comingBack = (n: number): string => `k${Math.floor(n / 4_500) * 1_500 + (n % 1_500)}`;
      const position = log.record(...Array.from({ length: 36_000 }, (_, n) => ({ key: comingBack(n), amount: n })));
      const runner = start([projection], { readStore: onDisk });
      expect(await runner.waitFor(['sums'], position, LONG_MS)).toBe(true);
      const collection = onDisk.collection<SumDocument>({ name: 'sums_v1', indexes: projection.indexes });
      const expected = expectedSums(log.events);
      for await (const document of collection.iterate({ filter: [], sort: [] })) {
        expect(document).toEqual(expected.get(document._id));
        expected.delete(document._id);
      }
      expect(expected.size).toBe(0);
      await stop(runner);
    } finally {
      await onDisk.close();
      await rm(folder, { recursive: true });
    }
  });

  it('is live on an empty log', async () => {
    const runner = start([sums()]);
    await eventually(() => expect(statusOf(runner).state).toBe('live'));
    expect(await runner.waitFor(['sums'], '', LONG_MS)).toBe(true);
  });

  it('writes each changed document once a batch', async () => {
    const position = log.record(...many(200, 4));
    const runner = start([sums()]);
    await runner.waitFor(['sums'], position, LONG_MS);
    expect(store.written).toBe(5);
  });

  it('lets all projections share one subscription', async () => {
    log.batchSize = 10;
    const position = log.record(...many(500));
    const all = ['a', 'b', 'c'].map((name) => sums({ name }));
    const runner = start(all);
    expect(await runner.waitFor(['a', 'b', 'c'], position, LONG_MS)).toBe(true);
    expect(log.subscriptions).toEqual(['']);
    expect(log.given).toBe(500);
    for (const projection of all) expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
  });

  it('continues where it stopped, and lets a new or late one catch up by itself before it joins', async () => {
    const [old, fresh] = [sums({ name: 'old' }), sums({ name: 'fresh' })];
    log.batchSize = 50;
    const before = log.record(...many(3_000));
    const first = start([old]);
    await first.waitFor(['old'], before, LONG_MS);
    await stop(first);
    const given = log.given;
    log.subscriptions.length = 0;
    const runner = start([fresh, old]);
    const after = log.record(...many(10));
    expect(await runner.waitFor(['old', 'fresh'], after, LONG_MS)).toBe(true);
    expect(await documentsOf(old)).toEqual(expectedSums(log.events));
    expect(await documentsOf(fresh)).toEqual(expectedSums(log.events));
    expect(log.subscriptions).toEqual([before, '']);
    await eventually(() => expect(runner.status().map((each) => each.state)).toEqual(['live', 'live']));
    const [joined, subscriptions] = [log.given, log.subscriptions.length];
    expect(joined - given).toBeGreaterThanOrEqual(3_020);
    const last = log.record(...many(30));
    expect(await runner.waitFor(['old', 'fresh'], last, LONG_MS)).toBe(true);
    expect(log.given - joined).toBe(30);
    expect(log.subscriptions).toHaveLength(subscriptions);
  });

  it('changes nothing when it sees events twice', async () => {
    const projection = sums();
    const position = log.record(...many(100));
    const first = start([projection]);
    await first.waitFor(['sums'], position, LONG_MS);
    const before = await documentsOf(projection);
    await stop(first);
    await store.deleteCheckpoint('sums@1');
    const again = start([projection]);
    expect(await again.waitFor(['sums'], position, LONG_MS)).toBe(true);
    await eventually(async () => expect((await store.checkpoints(['sums@1'])).get('sums@1')?.position).toBe(position));
    expect(await documentsOf(projection)).toEqual(before);
  });

  it.each(['failBefore', 'failBetween', 'failAfter'] as const)(
    'retries a write that %s, and folds nothing twice',
    async (kind) => {
      const projection = sums();
      log.batchSize = 5;
      const runner = start([projection]);
      store[kind] = 3;
      const position = log.record(...many(60));
      expect(await runner.waitFor(['sums'], position, LONG_MS)).toBe(true);
      expect(store[kind]).toBe(0);
      expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
      await eventually(() => expect(statusOf(runner)).toMatchObject({ state: 'live', error: null }));
    },
  );

  it('folds nothing twice after a crash between documents and checkpoint', async () => {
    const projection = sums();
    const first = start([projection]);
    await first.waitFor(['sums'], log.record(...many(30)), LONG_MS);
    store.failBetween = Number.POSITIVE_INFINITY;
    const position = log.record(...many(40));
    await eventually(async () => expect((await documentsOf(projection)).get('all')?.seen).toHaveLength(11));
    await eventually(() => expect(statusOf(first).error?.message).toBe('between'));
    await stop(first);
    store.failBetween = 0;
    expect((await store.checkpoints(['sums@1'])).get('sums@1')?.position).not.toBe(position);
    const second = start([projection]);
    expect(await second.waitFor(['sums'], position, LONG_MS)).toBe(true);
    expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
  });

  it('recovers from a log that fails for a while', async () => {
    const projection = sums();
    log.failures = 7;
    log.batchSize = 3;
    const runner = start([projection]);
    expect(await runner.waitFor(['sums'], log.record(...many(30)), LONG_MS)).toBe(true);
    log.failures = 4;
    expect(await runner.waitFor(['sums'], log.record(...many(30)), LONG_MS)).toBe(true);
    expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
    await eventually(() => expect(log.failures).toBe(0));
    expect(errors.some((error) => error instanceof LogUnavailable)).toBe(true);
  });

  it('moves the checkpoint past events that change nothing, at every tick', async () => {
    const runner = start([sums()], { timing: { ...QUICK, tickMs: 100_000 } });
    await runner.waitFor(['sums'], log.record({ key: 'a' }), LONG_MS);
    const commits = store.commits;
    for (let n = 0; n < 20; n += 1) {
      const position = log.record({ key: 'a', type: 'Unknown' }, { key: 'a', type: 'Looked' });
      expect(await runner.waitFor(['sums'], position, LONG_MS)).toBe(true);
    }
    expect(await runner.waitFor(['sums'], log.pass(), LONG_MS)).toBe(true);
    expect(store.commits).toBe(commits);
    await stop(runner);

    start([sums()]);
    const mark = log.pass();
    await eventually(async () => expect((await store.checkpoints(['sums@1'])).get('sums@1')?.position).toBe(mark));
  });

  it('notifies after every write', async () => {
    const heard: { applied: Applied; stored: string | undefined }[] = [];
    const runner = start([sums()]);
    const stopHearing = runner.onApplied(async (applied) => {
      const checkpoint = (await store.checkpoints(['sums@1'])).get('sums@1');
      heard.push({ applied, stored: checkpoint?.position });
    });
    const position = log.record({ key: 'a' }, { key: 'b' }, { key: 'a' });
    await runner.waitFor(['sums'], position, LONG_MS);
    await eventually(() => expect(heard).toHaveLength(1));
    expect(heard[0]).toEqual({
      applied: { name: 'sums', version: 1, position, documentIds: ['a', 'b'] },
      stored: position,
    });
    await runner.waitFor(['sums'], log.record({ key: 'a', type: 'Looked' }), LONG_MS);
    stopHearing();
    await runner.waitFor(['sums'], log.record({ key: 'a' }), LONG_MS);
    expect(heard).toHaveLength(1);
  });

  it('reports how far behind it is', async () => {
    store.failBefore = Number.POSITIVE_INFINITY;
    const runner = start([sums()]);
    log.record(...many(12));
    const oldest = Date.parse(log.events[0]?.recordedAt ?? '');
    await eventually(() =>
      expect(statusOf(runner)).toMatchObject({ lagEvents: 12, lagMs: nowMs - oldest, position: '' }),
    );
    await eventually(() => expect(statusOf(runner).error?.message).toBe('before'));
    store.failBefore = 0;
    await eventually(() => expect(statusOf(runner)).toMatchObject({ state: 'live', lagEvents: 0, lagMs: 0 }));
  });

  it('is whole once it has reached the end that the log had at the start, and stays so', async () => {
    log.record(...many(30));
    store.failBefore = Number.POSITIVE_INFINITY;
    const runner = start([sums()]);
    await eventually(() => expect(store.commits).toBeGreaterThan(3));
    expect(statusOf(runner)).toMatchObject({ whole: false, position: '' });
    store.failBefore = 0;
    await eventually(() => expect(statusOf(runner)).toMatchObject({ whole: true, state: 'live' }));
    store.failBefore = Number.POSITIVE_INFINITY;
    const commits = store.commits;
    log.record(...many(5));
    await eventually(() => expect(store.commits).toBeGreaterThan(commits + 3));
    expect(statusOf(runner).whole).toBe(true);
    store.failBefore = 0;
  });

  it('stops waiting when the time is over, and refuses unknown names', async () => {
    const runner = start([sums()]);
    expect(await runner.waitFor(['sums'], 'z', 0)).toBe(false);
    expect(await runner.waitFor(['sums'], 'z', 5)).toBe(false);
    await expect(runner.waitFor(['other'], '', 5)).rejects.toThrow(RangeError);
  });

  describe("with a fault that is no event's", () => {
    it('never claims what was not written', async () => {
      const projection = sums();
      const runner = start([projection], { timing: { ...QUICK, haltFirstMs: 60_000, haltMostMs: 60_000 } });
      const first = log.record({ key: 'a' });
      expect(await runner.waitFor(['sums'], first, LONG_MS)).toBe(true);
      store.failForGood = 1;
      const second = log.record({ key: 'b' });
      await eventually(() => expect(statusOf(runner).state).toBe('halted'));
      expect(statusOf(runner)).toMatchObject({ position: first, error: { message: 'for good', event: null } });
      expect(await runner.waitFor(['sums'], second, 20)).toBe(false);
      expect(await documentsOf(projection)).toEqual(expectedSums(log.events.slice(0, 1)));
    });

    it('tries again by itself, with longer and longer pauses, and continues once it can', async () => {
      const projection = sums();
      const runner = start([projection], { timing: { ...QUICK, haltFirstMs: 1, haltMostMs: 4 } });
      store.failForGood = 5;
      const position = log.record(...many(20));
      expect(await runner.waitFor(['sums'], position, LONG_MS)).toBe(true);
      expect(store.failForGood).toBe(0);
      expect(errors.filter((error) => String(error).includes('halted'))).toHaveLength(5);
      await eventually(() => expect(statusOf(runner)).toMatchObject({ state: 'live', error: null }));
      expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
    });

    it('gives its lease to an instance that can', async () => {
      const sound = openEmbeddedReadStore({ file: ':memory:' });
      const broken = faultyStore(sound);
      const timing = { ...QUICK, haltFirstMs: 1, haltMostMs: 2 };
      const unable = start([sums()], { readStore: broken, owner: 'unable', timing });
      expect(await unable.waitFor(['sums'], log.record({ key: 'a' }), LONG_MS)).toBe(true);
      broken.failForGood = Number.POSITIVE_INFINITY;
      const able = start([sums()], { readStore: sound, owner: 'able', timing });
      const position = log.record({ key: 'b' });
      expect(await able.waitFor(['sums'], position, LONG_MS)).toBe(true);
      await stop(unable);
      await stop(able);
      await sound.close();
    });
  });

  describe('with a document that the store cannot hold', () => {
    it('halts at the event that made it so, with all of its documents as before, and lets it be parked', async () => {
      const projection = sums();
      const runner = start([projection], { timing: { ...QUICK, haltFirstMs: 1, haltMostMs: 2 } });
      store.mostCharacters = 100;
      log.batchSize = 4;
      const before = many(10, 3);
      log.record(...before.map((one) => ({ ...one, type: 'Added' })));
      await eventually(() => expect(statusOf(runner).error?.event).toBeTruthy());
      const at = statusOf(runner).error?.event?.position ?? '';
      const index = log.events.findIndex((event) => event.position === at);
      expect(statusOf(runner)).toMatchObject({ state: 'halted', position: log.events[index - 1]?.position });
      expect(await documentsOf(projection)).toEqual(expectedSums(log.events.slice(0, index)));
      const parked = new Set<string>();
      while (statusOf(runner).state === 'halted') {
        const id = statusOf(runner).error?.event?.id ?? '';
        expect(parked).not.toContain(id);
        parked.add(id);
        expect(await runner.park('sums')).toBe(true);
        await eventually(() => {
          const { state, error } = statusOf(runner);
          expect(state === 'parked' || (state === 'halted' && !parked.has(error?.event?.id ?? id))).toBe(true);
        });
      }
      expect(await documentsOf(projection)).toEqual(expectedSums(log.events, parked));
      expect(parked.size).toBeGreaterThan(0);
    });
  });

  describe('with an event that it cannot fold', () => {
    const poison = new Set(['bad']);

    it('halts alone, with everything before the event applied', async () => {
      log.batchSize = 4;
      const [broken, sound] = [sums({ name: 'broken', poison }), sums({ name: 'sound' })];
      const runner = start([broken, sound]);
      log.record(...many(10));
      const position = log.record({ key: 'a' }, { key: 'bad' }, { key: 'b' });
      expect(await runner.waitFor(['sound'], position, LONG_MS)).toBe(true);
      await eventually(() => expect(statusOf(runner, 'broken').state).toBe('halted'));
      const at = log.events.find((event) => event.data.key === 'bad');
      expect(statusOf(runner, 'broken').error).toEqual({
        message: 'cannot take bad',
        event: { id: at?.id, type: 'Added', stream: at?.stream, position: at?.position },
      });
      expect(await documentsOf(broken)).toEqual(expectedSums(log.events.slice(0, 11)));
      expect(await documentsOf(sound)).toEqual(expectedSums(log.events));
      const later = log.record(...many(10));
      expect(await runner.waitFor(['sound'], later, LONG_MS)).toBe(true);
      expect(await documentsOf(broken)).toEqual(expectedSums(log.events.slice(0, 11)));
      expect(await runner.waitFor(['broken'], later, 5)).toBe(false);
      expect(errors.map(String)).toContain('Error: broken@1 halted: cannot take bad');
    });

    it('changes none of the documents of an event that is poison for one of them', async () => {
      const projection = sums({ poison });
      const runner = start([projection]);
      log.record({ key: 'a' }, { key: 'bad', type: 'Shared' });
      await eventually(() => expect(statusOf(runner).state).toBe('halted'));
      expect(await documentsOf(projection)).toEqual(expectedSums(log.events.slice(0, 1)));
    });

    it('halts on keys that throw and on a document that comes back under another id', async () => {
      const keys = {
        ...sums({ name: 'keys' }),
        keys: () => {
          throw new Error('no keys');
        },
      };
      const ids = { ...sums({ name: 'ids' }), evolve: () => ({ _id: 'other', sum: 0, seen: [] }) };
      const runner = start([keys, ids]);
      log.record({ key: 'a' });
      await eventually(() => expect(runner.status().map((each) => each.state)).toEqual(['halted', 'halted']));
      expect(statusOf(runner, 'keys').error?.message).toBe('no keys');
      expect(statusOf(runner, 'ids').error?.message).toContain('other');
    });

    it('stays halted over a restart, and continues once the fold accepts the event', async () => {
      const first = start([sums({ poison })]);
      const position = log.record({ key: 'a' }, { key: 'bad' }, { key: 'b' });
      await eventually(() => expect(statusOf(first).state).toBe('halted'));
      await stop(first);
      const second = start([sums({ poison })]);
      await eventually(() => expect(statusOf(second).state).toBe('halted'));
      await stop(second);
      const mended = sums();
      const third = start([mended]);
      expect(await third.waitFor(['sums'], position, LONG_MS)).toBe(true);
      expect(await documentsOf(mended)).toEqual(expectedSums(log.events));
      await eventually(() => expect(statusOf(third)).toMatchObject({ state: 'live', error: null }));
    });

    it('tries again when resumed, and halts again or continues', async () => {
      const changing = new Set(['bad']);
      const projection = sums({ poison: changing });
      const runner = start([projection]);
      expect(await runner.resume('sums')).toBe(false);
      const position = log.record({ key: 'bad' }, { key: 'b' });
      await eventually(() => expect(statusOf(runner).state).toBe('halted'));
      const halts = (): number => errors.filter((error) => String(error).includes('halted')).length;
      expect(halts()).toBe(1);
      expect(await runner.resume('sums')).toBe(true);
      await eventually(() => expect(halts()).toBe(2));
      changing.clear();
      expect(await runner.resume('sums')).toBe(true);
      expect(await runner.waitFor(['sums'], position, LONG_MS)).toBe(true);
      expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
    });

    it('skips a parked event, also after a restart, and shows that it does', async () => {
      const projection = sums({ poison });
      const runner = start([projection]);
      expect(await runner.park('sums')).toBe(false);
      const position = log.record({ key: 'a' }, { key: 'bad' }, { key: 'b' });
      await eventually(() => expect(statusOf(runner).state).toBe('halted'));
      expect(await runner.park('sums')).toBe(true);
      expect(await runner.waitFor(['sums'], position, LONG_MS)).toBe(true);
      await eventually(() => expect(statusOf(runner)).toMatchObject({ state: 'parked', parkedEvents: 1, error: null }));
      const bad = log.events[1];
      expect(await documentsOf(projection)).toEqual(expectedSums(log.events, new Set([bad?.id ?? ''])));
      const records = await store.collection<Parking>(PARKINGS).find({ filter: [], sort: [], limit: 10 });
      expect(records).toEqual([
        {
          _id: `sums@1/${bad?.id}`,
          _position: bad?.position,
          projection: 'sums',
          version: 1,
          eventId: bad?.id,
          eventType: 'Added',
          stream: bad?.stream,
          position: bad?.position,
          message: 'cannot take bad',
          parkedAt: new Date(nowMs).toISOString(),
        },
      ]);
      await stop(runner);
      await store.deleteCheckpoint('sums@1');
      const again = start([projection]);
      expect(await again.waitFor(['sums'], position, LONG_MS)).toBe(true);
      await eventually(() => expect(statusOf(again).state).toBe('parked'));
    });
  });

  describe('with two instances', () => {
    it('lets one work while the other is on standby, waits for positions and takes over in order', async () => {
      const projection = sums();
      const first = start([projection]);
      await eventually(() => expect(statusOf(first).state).toBe('live'));
      const second = start([projection], { owner: 'two' });
      const position = log.record(...many(20));
      expect(await second.waitFor(['sums'], position, LONG_MS)).toBe(true);
      await eventually(() => expect(statusOf(second)).toMatchObject({ state: 'standby', position }));
      expect(log.subscriptions).toEqual(['']);
      await stop(first);
      await eventually(() => expect(statusOf(second).state).toBe('live'));
      const later = log.record(...many(20));
      expect(await second.waitFor(['sums'], later, LONG_MS)).toBe(true);
      expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
    });

    it('fences one whose lease expired unnoticed', async () => {
      const projection = sums();
      const stuck = faultyStore(store);
      const first = start([projection], { readStore: stuck });
      await eventually(() => expect(statusOf(first).state).toBe('live'));
      await first.waitFor(['sums'], log.record(...many(10)), LONG_MS);
      const second = start([projection], { owner: 'two' });
      await eventually(() => expect(statusOf(second).state).toBe('standby'));
      stuck.leasesAway = true;
      nowMs += 60_000;
      await eventually(() => expect(statusOf(second).state).toBe('live'));
      const position = log.record(...many(30));
      expect(await second.waitFor(['sums'], position, LONG_MS)).toBe(true);
      await eventually(() => expect(statusOf(first).state).toBe('standby'));
      expect((await store.checkpoints(['sums@1'])).get('sums@1')?.fence).toBe(2);
      expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
      const owner = (await store.leases.getMany(['projection/sums@1'])).get('projection/sums@1')?.owner;
      expect(owner).toBe('two');
      stuck.leasesAway = false;
      nowMs += 1_000;
      const last = log.record(...many(30));
      expect(await first.waitFor(['sums'], last, LONG_MS)).toBe(true);
      expect(await documentsOf(projection)).toEqual(expectedSums(log.events));
    });

    it('keeps its lease by renewing it', async () => {
      const projection = sums();
      const first = start([projection]);
      await eventually(() => expect(statusOf(first).state).toBe('live'));
      const second = start([projection], { owner: 'two' });
      const until = async (): Promise<number> => {
        const lease = (await store.leases.getMany(['projection/sums@1'])).get('projection/sums@1');
        expect(lease?.owner).toBe('one');
        return Date.parse(lease?.until ?? '');
      };
      for (let n = 0; n < 10; n += 1) {
        nowMs += 6_000;
        await eventually(async () => expect(await until()).toBe(nowMs + 15_000));
      }
      expect(statusOf(second).state).toBe('standby');
    });

    it('shows a halt on both, and lets either side park it', async () => {
      const projection = sums({ poison: new Set(['bad']) });
      const first = start([projection]);
      await eventually(() => expect(statusOf(first).state).toBe('live'));
      const second = start([projection], { owner: 'two' });
      const position = log.record({ key: 'bad' }, { key: 'b' });
      await eventually(() =>
        expect(statusOf(second)).toMatchObject({ state: 'halted', error: { message: 'cannot take bad' } }),
      );
      expect(await second.park('sums')).toBe(true);
      expect(await first.waitFor(['sums'], position, LONG_MS)).toBe(true);
      await eventually(() => expect(statusOf(first).state).toBe('parked'));
      await eventually(() => expect(statusOf(second)).toMatchObject({ state: 'standby', error: null }));
    });
  });
});
