import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedReadStore, openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { Collection, Filter } from '../../src/readstore/read-store.ts';
import { startThread } from '../../src/shared/start-thread.ts';

vi.mock('../../src/shared/start-thread.ts', { spy: true });

type Row = { _id: string; _position: string; tenantId: string; position: string; kind: string; n: number };

const ROWS = 300;
const spec = { name: 'rows', indexes: [{ fields: ['tenantId', 'position', '_id', 'kind'] }] };
const ofTenant = { field: 'tenantId', op: 'eq', value: 't' } as const;
const since = { field: 'position', op: 'gt', value: '000099' } as const;

const folder = mkdtempSync(join(tmpdir(), 'counts-'));
let store: EmbeddedReadStore;
let rows: Collection<Row>;

beforeAll(async () => {
  store = openEmbeddedReadStore({ file: join(folder, 'read.sqlite'), smallTable: 10 });
  await store.ensureCollection(spec);
  rows = store.collection(spec);
  await rows.putMany(
    Array.from({ length: ROWS }, (_, n) => ({
      _id: `t/${n}`,
      _position: '1',
      tenantId: n < 200 ? 't' : 'u',
      position: String(n).padStart(6, '0'),
      kind: n % 2 === 0 ? 'even' : 'odd',
      n,
    })),
  );
});

beforeEach(() => {
  vi.mocked(startThread).mockClear();
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

describe('a count in a large table', () => {
  it.each<[string, Filter, number, number]>([
    ['up to a limit, of one value', [ofTenant], 1_000, 200],
    ['up to a limit, of one value from a place on', [ofTenant, since], 1_000, 100],
    ['that reaches its limit', [ofTenant, since], 7, 7],
  ])('%s, starts no thread', async (_, filter, limit, count) => {
    expect(await rows.count(filter, limit)).toBe(count);
    expect(startThread).not.toHaveBeenCalled();
  });

  it('of documents, and one without a limit, are made in a thread', async () => {
    const even = { field: 'kind', op: 'eq', value: 'even' } as const;
    expect(await rows.count([ofTenant, even], 1_000)).toBe(100);
    expect(startThread).toHaveBeenCalledTimes(1);
    expect(await rows.count([ofTenant])).toBe(200);
    expect(await rows.count([ofTenant, { field: 'n', op: 'lt', value: 10 }], 1_000)).toBe(10);
    expect(await rows.count([{ field: 'tenantId', op: 'in', value: ['t', 'u'] }], 1_000)).toBe(ROWS);
    expect(await rows.count([ofTenant, since], 1_000_000)).toBe(100);
  });
});
