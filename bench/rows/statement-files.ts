import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type LargeFile, ROW_BYTES, writeLargeFile } from '../../tests/support/large-statements.ts';
import { startChild } from '../children/messages.ts';
import { API_HEADERS, type Call, openApi, serviceEnvironment } from '../fixtures/api.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { quantile } from '../interleave.ts';
import type { Row } from '../row.ts';

const MEBIBYTE = 1024 * 1024;
const LARGE_MIB = { full: 1_000, quick: 20 } as const;
const SMALL_FILES = { full: 1_500, quick: 50 } as const;
const SMALL_ROWS = 40;
const LIMIT_MB = 100;
const LONG_AGO_S = 1_600_000_000;
const HEALTH_EVERY_MS = 20;
const GIVEN_UP_AFTER_MS = 60 * 60_000;
const COMES_TO_REST_MS = 5_000;
const ARENAS_OF_THE_IMAGE = '2';

/**
 * The whole service in a process of its own with the options of `npm start`, embedded stores, driven over HTTP: many
 * small files first, then two of 20 MiB, then files of nearly 1 GiB through setup, and the camt.053 one through a sync.
 */
export const statementFiles: Row = {
  name: 'statement-files',
  title: 'statement files of nearly 1 GiB through setup and sync, and 1,500 small ones',
  baseline: 'none: by how much the peak resident memory of the process grows with one of the large files',
  aim: { kind: 'below', limit: LIMIT_MB, unit: 'MB' },
  async measure({ quick, say }) {
    const size = quick ? 'quick' : 'full';
    const folder = makeFolder();
    const statementsDir = join(folder.path, 'statements');
    const environment = { ...serviceEnvironment(folder.path), MALLOC_ARENA_MAX: ARENAS_OF_THE_IMAGE };
    const child = await startChild<{ url: string }, unknown>('./service-child.ts', environment);
    const details: string[] = [];
    const report = (line: string): void => {
      details.push(line);
      say(line);
    };
    try {
      const { url } = child.ready;
      await pause(COMES_TO_REST_MS);
      const restMb = await child.peakMb();
      const call = openApi(url);
      const deliver = (name: string, file: string, of: LargeFile): Promise<void> =>
        writeOld(join(statementsDir, name), file, of);

      for (let index = 0; index < SMALL_FILES[size]; index += 1) {
        const of: LargeFile = { format: 'MT940', rows: SMALL_ROWS, account: `SMALL${index % 10}`, days: 20 };
        await deliver('small', `${String(index).padStart(4, '0')}.sta`, of);
      }
      const small = await connect(call, 'small');
      const firstSetupS = await timed(() => setup(call, small));
      const again = await connect(call, 'small');
      const secondSetupS = await timed(() => setup(call, again));
      await sync(call, small);
      const againS = await timed(() => sync(call, small));
      report(
        `${SMALL_FILES[size]} files: setup ${firstSetupS} s, a second one ${secondSetupS} s, a sync with nothing new ${againS} s`,
      );

      report(
        `peak memory at rest ${restMb.toFixed(0)} MB, after the small files ${(await child.peakMb()).toFixed(0)} MB`,
      );

      const twenty = Math.floor((20 * MEBIBYTE) / ROW_BYTES.MT940);
      for (const name of ['one', 'two', 'three']) {
        await deliver(name, 'a.sta', { format: 'MT940', rows: twenty, account: name.toUpperCase() });
      }
      const [one, two, three] = [await connect(call, 'one'), await connect(call, 'two'), await connect(call, 'three')];
      const oneS = await timed(() => setup(call, one));
      const bothS = await timed(() => Promise.all([setup(call, two), setup(call, three)]));
      report(`setup of a file of 20 MiB ${oneS} s, of two at once ${bothS} s`);

      const grown: number[] = [];
      for (const format of ['camt.053', 'MT940'] as const) {
        const rows = Math.floor((LARGE_MIB[size] * MEBIBYTE) / ROW_BYTES[format]);
        await deliver(format, 'large', { format, rows, account: `LARGE${format.length}` });
        const id = await connect(call, format);
        const before = await child.peakMb();
        const setUp = await whileWatched(url, () => timed(() => setup(call, id)));
        const after = await child.peakMb();
        report(
          `${format}, ${LARGE_MIB[size]} MiB, ${rows} rows: setup ${setUp.value} s, peak memory ${before.toFixed(0)} → ` +
            `${after.toFixed(0)} MB; /health/live ${setUp.said}`,
        );
        if (format === 'camt.053') {
          const synced = await whileWatched(url, () => timed(() => sync(call, id, rows)));
          report(
            `its sync ${synced.value} s, peak memory ${after.toFixed(0)} → ${(await child.peakMb()).toFixed(0)} MB; ` +
              `/health/live ${synced.said}`,
          );
        }
        grown.push((await child.peakMb()) - before);
      }
      report(`from rest to the end, with all files, ${((await child.peakMb()) - restMb).toFixed(0)} MB more`);
      return { values: [Math.max(...grown)], details };
    } finally {
      await child.stop();
      folder.remove();
    }
  },
};

async function writeOld(folder: string, name: string, of: LargeFile): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  await writeLargeFile(path, of);
  utimesSync(path, LONG_AGO_S, LONG_AGO_S);
}

async function connect(call: Call, folder: string): Promise<string> {
  const body = { bankCode: 'statement-files', title: folder, environment: 'production' };
  const { id } = await call<{ id: string }>('POST', '/banks/accounts', body);
  await call('PUT', `/banks/accounts/${id}/credentials`, { folder });
  return id;
}

async function setup(call: Call, id: string): Promise<void> {
  await call('POST', `/banks/accounts/${id}/setup`);
  await until(async () => {
    // One that the read model does not show yet is in no list, where a read of it by itself would fail.
    const { items } = await call<{ items: { id: string; subAccounts: unknown[] }[] }>(
      'GET',
      '/banks/accounts?limit=200',
    );
    return (items.find((one) => one.id === id)?.subAccounts.length ?? 0) > 0;
  });
}

type Sync = { readonly id: string; readonly status: string; readonly counts: { readonly inserted: number } };

async function sync(call: Call, id: string, inserted?: number): Promise<void> {
  const newest = async (): Promise<Sync | undefined> => {
    const { items } = await call<{ items: Sync[] }>('GET', `/banks/accounts/${id}/syncs?limit=1`);
    return items[0];
  };
  const before = await newest();
  await call('POST', `/banks/accounts/${id}/sync`, {});
  await until(async () => {
    const last = await newest();
    if (last === undefined || last.id === before?.id || ['queued', 'running'].includes(last.status)) return false;
    if (last.status !== 'completed' || (inserted !== undefined && last.counts.inserted !== inserted)) {
      throw new Error(`the sync ended ${last.status} with ${last.counts.inserted} rows`);
    }
    return true;
  });
}

/** @throws Error when it takes much too long */
async function until(reached: () => Promise<boolean>): Promise<void> {
  const latestMs = performance.now() + GIVEN_UP_AFTER_MS;
  while (!(await reached())) {
    if (performance.now() > latestMs) throw new Error('the awaited state was not reached');
    await pause(50);
  }
}

/** In seconds. */
async function timed(work: () => Promise<unknown>): Promise<string> {
  const startedMs = performance.now();
  await work();
  return ((performance.now() - startedMs) / 1000).toFixed(1);
}

/** Does the work while it requests `/health/live` repeatedly; `said`: how long those answers took. */
async function whileWatched<Value>(
  url: string,
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly said: string }> {
  const took: number[] = [];
  let done = false;
  const watching = (async () => {
    while (!done) {
      const askedMs = performance.now();
      const response = await fetch(`${url}/health/live`, { headers: API_HEADERS });
      await response.arrayBuffer();
      took.push(performance.now() - askedMs);
      await pause(HEALTH_EVERY_MS);
    }
  })();
  const value = await work().finally(() => {
    done = true;
  });
  await watching;
  const late = took.filter((ms) => ms > 100).length;
  const most = (part: number): string => quantile(took, part).toFixed(0);
  return {
    value,
    said: `asked ${took.length} times: half within ${most(0.5)} ms, 99 % within ${most(0.99)} ms, the slowest ${most(1)} ms, ${late} over 100 ms`,
  };
}
