import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { type ReadStore, ReadStoreUnavailable } from '../../src/readstore/read-store.ts';
import type { Sample } from './read-store-contract.ts';

const spec = { name: 'rows', indexes: [{ fields: ['kind'] }] };
const byNumber = [{ field: 'number', direction: 'asc' }] as const;
/** Enough rows to be written by the thread and read in several pages. */
const ROWS = 600;

function rowsAt(position: number): Sample[] {
  return Array.from({ length: ROWS }, (_, number) => ({
    _id: String(number),
    _position: String(position),
    kind: 'a',
    number,
  }));
}

/** Files below the folder that this process has open, where the system lists them (Linux does). */
function openBelow(folder: string): string[] {
  if (!existsSync('/proc/self/fd')) return [];
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${descriptor}`);
      return file.startsWith(folder) ? [file] : [];
    } catch {
      return [];
    }
  });
}

describe('closing the embedded store', () => {
  let folder: string;
  let store: ReadStore;
  let threads: Worker[];
  const see = (worker: Worker): void => void threads.push(worker);
  beforeEach(async () => {
    threads = [];
    process.on('worker', see);
    folder = await mkdtemp(join(tmpdir(), 'read-store-'));
    // Every table counts as large, so that the reading thread is used too.
    store = openEmbeddedReadStore({ file: join(folder, 'read.sqlite'), smallTable: -1 });
    await store.ensureCollection(spec);
    await store.collection<Sample>(spec).putMany(rowsAt(1));
  });
  afterEach(async () => {
    process.off('worker', see);
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('starts no thread afterwards, whatever is requested', async () => {
    const collection = store.collection<Sample>(spec);
    expect(await collection.count([])).toBe(ROWS);
    await store.close();
    threads = [];
    const readAll = async (): Promise<void> => {
      for await (const _ of collection.iterate({ filter: [], sort: byNumber }));
    };
    const checkpoint = { name: 'p', position: '1', fence: 1, from: null } as never;
    for (const asked of [
      () => collection.putMany(rowsAt(2)),
      () => store.commitBatch({ collection: spec, documents: rowsAt(2), checkpoint }),
      () => collection.deleteMany(rowsAt(2).map(({ _id }) => _id)),
      () => collection.count([]),
      () => collection.find({ filter: [], sort: byNumber, limit: 5 }),
      readAll,
    ]) {
      await expect(asked()).rejects.toThrow(ReadStoreUnavailable);
    }
    // A new thread would be announced one event loop iteration later.
    await nextTurn();
    expect(threads).toEqual([]);
    expect(openBelow(folder)).toEqual([]);
  });

  it('has closed its files when it resolves, with writes in progress', async () => {
    const collection = store.collection<Sample>(spec);
    const writing = Promise.allSettled([2, 3, 4].map((position) => collection.putMany(rowsAt(position))));
    await store.close();
    expect(openBelow(folder)).toEqual([]);
    const atClose = threads.length;
    await rm(folder, { recursive: true });
    await writing;
    await nextTurn();
    expect(threads).toHaveLength(atClose);
    expect(existsSync(folder)).toBe(false);
  });

  const ofKind = [{ field: 'kind', op: 'eq', value: 'a' }] as const;
  it.each([
    { by: 'a thread', filter: [], sort: byNumber },
    { by: 'the index', filter: ofKind, sort: [] },
  ])('has let go of its files under a reading half done by $by', async ({ filter, sort }) => {
    const reading = store.collection<Sample>(spec).iterate({ filter, sort, pageSize: 10 });
    const rows = reading[Symbol.asyncIterator]();
    for (let row = 0; row < 15; row += 1) expect((await rows.next()).done).toBe(false);
    await store.close();
    expect(openBelow(folder)).toEqual([]);
    await rm(folder, { recursive: true });
    const readOn = async (): Promise<void> => {
      while ((await rows.next()).done !== true);
    };
    await expect(readOn()).rejects.toThrow(ReadStoreUnavailable);
    expect(existsSync(folder)).toBe(false);
  });

  it('resolves for everyone who closes, and only then', async () => {
    const collection = store.collection<Sample>(spec);
    await collection.count([]);
    const writing = Promise.allSettled([collection.putMany(rowsAt(2))]);
    const first = store.close();
    await store.close();
    expect(openBelow(folder)).toEqual([]);
    await first;
    await writing;
  });

  it('resolves after a thread was lost', async () => {
    const collection = store.collection<Sample>(spec);
    await collection.count([]);
    const writing = Promise.allSettled([collection.putMany(rowsAt(2))]);
    for (const thread of threads) void thread.terminate();
    await store.close();
    expect(openBelow(folder)).toEqual([]);
    await writing;
    expect(openBelow(folder)).toEqual([]);
  });

  it('starts no thread for a view whose thread is lost', async () => {
    const collection = store.collection<Sample>(spec);
    const rows = collection.iterate({ filter: [], sort: byNumber, pageSize: 10 })[Symbol.asyncIterator]();
    for (let row = 0; row < 15; row += 1) await rows.next();
    const before = threads.length;
    await threads.at(-1)?.terminate();
    await rows.return?.();
    await nextTurn();
    expect(threads).toHaveLength(before);
  });
});
