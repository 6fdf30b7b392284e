import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { transactionsThen } from '../../src/audit/lists-then.ts';
import { listAsOf } from '../../src/audit/page-as-of.ts';
import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import { transactionDays } from '../../src/projections/transaction-days.ts';
import { type TransactionDocument, transactions } from '../../src/projections/transactions.ts';
import type { ReadModels } from '../../src/queries/read-models.ts';
import { openReader } from '../../src/queries/reader.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { recordedData } from '../support/facts.ts';
import { foldOne, recordedEvent } from '../support/recorded-events.ts';

const MEBIBYTE = 1024 * 1024;
const BEFORE = 2_000;
const SINCE = 50_000;
const BATCH = 1_000;

it('keeps the write-ahead log under 64 MB while 50,000 rows arrive and an export is left unread', {
  timeout: 300_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unread-'));
  const file = join(folder, 'store.sqlite');
  const store = openEmbeddedReadStore({ file, smallTable: -1 });
  try {
    for (const one of [transactions, transactionDays]) await store.ensureCollection(collectionSpec(one as never));
    const [pattern] = foldOne(transactions, [recordedEvent('bankTransaction', 'pattern', recorded())]).values();
    if (pattern === undefined) throw new Error('no document');
    const rows = store.collection<TransactionDocument>(collectionSpec(transactions as never));
    const days = store.collection(collectionSpec(transactionDays as never));
    const add = async (from: number): Promise<void> => {
      const documents = Array.from({ length: BATCH }, (_, nth) => documentOf(pattern, from + nth));
      await rows.putMany(documents);
    };
    const { tenantId, companyId, transactionDate } = pattern;
    const day = transactionDate.slice(0, 10);
    await days.putMany([{ _id: 'day', _position: '1', tenantId, companyId, day, firstPosition: position(0) } as never]);
    for (let at = 0; at < BEFORE; at += BATCH) await add(at);

    const readModels = {
      of: (projection: never) => store.collection(collectionSpec(projection)),
    } as unknown as ReadModels;
    const log = { readStreamPositions: () => Promise.reject(new Error('nothing has changed')) } as never;
    const reader = openReader(readModels, tenantId, null);
    const sort = [{ field: 'transactionDate', direction: 'asc' }] as const;
    const question = { list: transactionsThen, filter: [], sort, position: position(BEFORE - 1) };
    const exported = listAsOf(log, reader, question)[Symbol.asyncIterator]();
    expect((await exported.next()).done).toBe(false);

    let largest = 0;
    for (let at = BEFORE; at < BEFORE + SINCE; at += BATCH) {
      await add(at);
      largest = Math.max(largest, statSync(`${file}-wal`).size);
    }
    expect(largest).toBeLessThan(64 * MEBIBYTE);

    let count = 1;
    for (let next = await exported.next(); next.done !== true; next = await exported.next()) count += 1;
    expect(count).toBe(BEFORE);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});

function recorded() {
  return {
    type: 'TransactionRecorded' as const,
    data: recordedData({ description: 'a row of usual length '.repeat(8) }),
  };
}

function position(nth: number): string {
  return String(nth + 1).padStart(16, '0');
}

function documentOf(pattern: TransactionDocument, nth: number): TransactionDocument {
  const id = `row-${String((nth * 7_919) % 1_000_003).padStart(7, '0')}`;
  const _position = position(nth);
  return { ...pattern, _id: `${pattern.tenantId}/${id}`, id, _position, recordedPosition: _position };
}
