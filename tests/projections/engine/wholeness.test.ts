import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFills } from '../../../src/projections/engine/fills.ts';
import { type ProjectionRunner, startProjections } from '../../../src/projections/engine/projection-runner.ts';
import type { RunnableProjection } from '../../../src/projections/engine/runnable.ts';
import { openStoredStatus } from '../../../src/projections/engine/stored-status.ts';
import { openWholeness } from '../../../src/projections/engine/wholeness.ts';
import { openEmbeddedReadStore } from '../../../src/readstore/embedded/embedded-read-store.ts';
import { eventually } from './eventually.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';
import { positionOf, type ScriptedLog, scriptedLog } from './scripted-log.ts';
import { sums } from './sums.ts';

const QUICK = { tickMs: 5, pollMs: 2, backoffFirstMs: 1, backoffMostMs: 5 };
const NOW_MS = 1_700_000_100_000;

let log: ScriptedLog;
let store: FaultyStore;
const runners: ProjectionRunner[] = [];

beforeEach(() => {
  log = scriptedLog();
  store = faultyStore(openEmbeddedReadStore({ file: ':memory:' }));
});
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.stop();
  await store.close();
});

function start(projections: readonly RunnableProjection[] = [sums()], owner = 'one'): ProjectionRunner {
  const clock = { now: () => NOW_MS };
  const runner = startProjections({ log, readStore: store, projections, clock, owner, timing: QUICK });
  runners.push(runner);
  return runner;
}

async function stopAll(): Promise<void> {
  store.failBefore = 0;
  for (const runner of runners.splice(0)) await runner.stop();
}

/** As an instance that runs no projection judges. */
async function isWhole(projection: RunnableProjection = sums()): Promise<boolean> {
  const { partial } = await openWholeness({ readStore: store, projections: [projection] });
  return (await partial([projection.name])).length === 0;
}

const statusOf = (runner: ProjectionRunner): string | undefined => runner.status()[0]?.position;

const record = (count: number): string => log.record(...Array.from({ length: count }, (_, at) => ({ key: `k${at}` })));

describe('a read model is whole', () => {
  it('at once where the log is empty, and not before anybody has begun to fill it', async () => {
    expect(await isWhole()).toBe(false);
    start();
    await eventually(async () => expect(await isWhole()).toBe(true));
  });

  it('once its checkpoint has reached the end that the log had when its filling began', async () => {
    record(20);
    store.failBefore = Number.POSITIVE_INFINITY;
    const runner = start();
    await eventually(() => expect(store.commits).toBeGreaterThan(3));
    expect([runner.isWhole('sums'), await isWhole()]).toEqual([false, false]);
    record(20);
    store.failBefore = 0;
    await eventually(async () => expect([runner.isWhole('sums'), await isWhole()]).toEqual([true, true]));
  });

  it('by the end at the beginning of the filling, not at a restart in the middle of it', async () => {
    const fills = await openFills(store);
    const target = record(10);
    store.failBefore = Number.POSITIVE_INFINITY;
    start();
    await eventually(async () => expect((await fills.targets([sums()])).get('sums@1')).toBe(target));
    // Stopped while the store refuses, so that nothing is filled yet.
    await Promise.all([...runners.splice(0)].map((runner) => runner.stop()));
    expect(await isWhole()).toBe(false);
    record(10);
    store.failBefore = Number.POSITIVE_INFINITY;
    const commits = store.commits;
    start();
    await eventually(() => expect(store.commits).toBeGreaterThan(commits + 3));
    expect((await fills.targets([sums()])).get('sums@1')).toBe(target);
    store.failBefore = 0;
    await eventually(async () => expect(await isWhole()).toBe(true));
  });

  it('at once after a restart, however far behind it is', async () => {
    record(5);
    start();
    await eventually(async () => expect(await isWhole()).toBe(true));
    await stopAll();
    record(1_000);
    expect(await isWhole()).toBe(true);
  });

  it('without delay for one that takes no event of the log', async () => {
    const idle: RunnableProjection = { ...sums({ name: 'idle' }), takes: [] };
    record(5);
    const runner = startProjections({
      log,
      readStore: store,
      projections: [idle],
      clock: { now: () => NOW_MS },
      owner: 'one',
      // No tick comes that would move its watermark.
      timing: { ...QUICK, tickMs: 3_600_000 },
    });
    runners.push(runner);
    await eventually(async () => expect(await isWhole(idle)).toBe(true));
  });

  it('where a release that stored no target has filled it, and not where it had only begun', async () => {
    record(5);
    start();
    await eventually(async () => expect(await isWhole()).toBe(true));
    await stopAll();
    await store.dropCollection('projection_fills');
    record(5);
    expect(await isWhole()).toBe(true);
    store.failBefore = Number.POSITIVE_INFINITY;
    start();
    await eventually(() => expect(store.commits).toBeGreaterThan(3));
    expect(await isWhole()).toBe(true);
    await stopAll();
    await store.dropCollection('projection_fills');
    await store.deleteCheckpoint('sums@1');
    expect(await isWhole()).toBe(false);
  });

  it('while a new version is built beside the live one, and then by the new one', async () => {
    record(20);
    start();
    await eventually(async () => expect(await isWhole()).toBe(true));
    await stopAll();
    const next = sums({ version: 2 });
    store.failBefore = Number.POSITIVE_INFINITY;
    const commits = store.commits;
    const runner = start([next]);
    await eventually(() => expect(store.commits).toBeGreaterThan(commits + 3));
    expect(await isWhole(next)).toBe(true);
    store.failBefore = 0;
    await eventually(() => expect(runner.isWhole('sums')).toBe(true));
    await stopAll();
    expect(await isWhole(next)).toBe(true);
  });

  it('by the end of the log that there is, where it was filled from a longer one', async () => {
    const beyond = positionOf(10_000_000);
    record(20);
    await (await openFills(store)).begin(sums(), beyond);
    await store.ensureCollection({ name: 'sums_v1', indexes: [] });
    const checkpoint = { name: 'sums@1', expected: null, position: beyond, fence: 0 };
    await store.commitBatch({ collection: { name: 'sums_v1', indexes: [] }, documents: [], checkpoint });
    const runner = start();
    await eventually(() => expect(runner.isWhole('sums')).toBe(true));
    expect(statusOf(runner)).toBe(log.events.at(-1)?.position);
  });

  it('anew only after it was filled again, where its checkpoint was ahead of the log', async () => {
    record(20);
    const ahead = { name: 'sums@1', expected: null, position: positionOf(10_000_000), fence: 0 };
    const { name, indexes } = { name: 'sums_v1', indexes: [] };
    await store.ensureCollection({ name, indexes });
    await store.commitBatch({ collection: { name, indexes }, documents: [], checkpoint: ahead });
    const { commitBatch } = store;
    let refused = 0;
    Object.assign(store, {
      commitBatch: async (batch: Parameters<typeof commitBatch>[0]) => {
        if (batch.documents.length === 0) return commitBatch(batch);
        refused += 1;
        throw new Error('not yet');
      },
    });
    start();
    await eventually(() => expect(refused).toBeGreaterThan(0));
    expect(await isWhole()).toBe(false);
    Object.assign(store, { commitBatch });
    await eventually(async () => expect(await isWhole()).toBe(true));
  });
});

describe('an instance that runs no projection', () => {
  it('shows how far what is stored is behind, and measures it at most once a second', async () => {
    const projections = [sums(), sums({ name: 'other' })];
    let measured = 0;
    const counted = {
      head: () => {
        measured += 1;
        return log.head();
      },
      remainder: log.remainder,
    };
    start(projections);
    record(3);
    await eventually(async () => expect(await isWhole()).toBe(true));
    await stopAll();
    record(1_500);
    const statuses = await openStoredStatus({
      log: counted,
      readStore: store,
      projections,
      clock: { now: () => NOW_MS },
    });
    const shown = await statuses();
    expect(shown.map(({ name, state }) => [name, state])).toEqual([
      ['sums', 'standby'],
      ['other', 'standby'],
    ]);
    expect(shown[0]?.lagEvents).toBeGreaterThanOrEqual(1_500);
    expect(shown[0]?.lagMs).toBeGreaterThan(0);
    await Promise.all([statuses(), statuses(), statuses()]);
    expect(measured).toBe(1);
  });

  it('shows a halt and its reason', async () => {
    const projections = [sums({ poison: new Set(['bad']) })];
    start(projections);
    log.record({ key: 'bad' });
    const statuses = await openStoredStatus({ log, readStore: store, projections, clock: { now: () => NOW_MS } });
    await eventually(async () =>
      expect(await statuses()).toMatchObject([{ name: 'sums', state: 'halted', error: 'cannot take bad' }]),
    );
  });
});
