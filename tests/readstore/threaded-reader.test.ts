import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toApiError } from '../../src/http/core/handle-exchange.ts';
import { openDatabase } from '../../src/readstore/embedded/database.ts';
import { ThreadedReader } from '../../src/readstore/embedded/threaded-reader.ts';
import { ReadStoreBusy } from '../../src/readstore/read-store.ts';

/** Counts up in the database: a long read that needs no data. */
function counting(to: number): { text: string; values: [] } {
  const numbers = `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${to})`;
  return { text: `${numbers} SELECT max(x) AS matches FROM n`, values: [] };
}

it('lets a short read overtake the many reads that another tenant has waiting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reader-'));
  const file = join(folder, 'store.sqlite');
  openDatabase(file).close();
  const reader = new ThreadedReader(file);
  try {
    const done: string[] = [];
    const busy = Array.from({ length: 20 }, () => reader.all('a', counting(200_000)).then(() => done.push('a')));
    const other = reader.all('b', counting(10)).then(() => done.push('b'));
    await other;
    // One of the first may have ended while the second thread started.
    expect(done.filter((who) => who === 'a').length).toBeLessThan(10);
    await Promise.all(busy);
    expect(done).toHaveLength(21);
  } finally {
    await reader.close();
    rmSync(folder, { recursive: true });
  }
});

it('refuses reads beyond the limit of one tenant, and continues to read for others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reader-'));
  const file = join(folder, 'store.sqlite');
  openDatabase(file).close();
  const reader = new ThreadedReader(file);
  try {
    const asked = Array.from({ length: 60 }, () => reader.all('a', counting(1_000)));
    const outcomes = Promise.allSettled(asked);
    expect(await reader.all('b', counting(10))).toEqual([10]);
    const refused = (await outcomes).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toEqual(Array.from({ length: 9 }, () => expect.any(ReadStoreBusy)));
    expect(toApiError(refused[0]).code).toBe('TENANT_BUSY');
  } finally {
    await reader.close();
    rmSync(folder, { recursive: true });
  }
});
