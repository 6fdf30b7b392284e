import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXPORT_COLUMNS, type ExportColumn } from '../../src/http/routes/transactions/export-columns.ts';
import {
  type FilePart,
  type FileQuestion,
  type FileSeal,
  openTransactionFile,
  type TransactionFile,
} from '../../src/http/routes/transactions/transaction-file.ts';
import { transactions } from '../../src/projections/transactions.ts';
import {
  TRANSACTION_SORTS,
  type TransactionFilter,
  transactionConditions,
  transactionSort,
} from '../../src/queries/transaction-filter.ts';
import { READ_MODELS_FILE } from '../../src/readstore/embedded/two-files.ts';
import { ReadStoreUnavailable } from '../../src/readstore/read-store.ts';
import { type ExportThread, openExportThread } from '../../src/wiring/export-thread.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

const ROWS = 120;
const RUNS = 60;
/** Small, so that rows change between two parts. */
const ROWS_A_PART = 7;
const ROWS_A_PART_HERE = 11;

type Read = { readonly bytes: Buffer; readonly seal: FileSeal | null };

/** @param between what happens after each part */
async function read(file: TransactionFile, between: () => Promise<void> = async () => {}): Promise<Read> {
  const parts: Uint8Array[] = [];
  try {
    for (;;) {
      const { bytes, seal } = await file.next();
      parts.push(bytes);
      if (seal !== null) return { bytes: Buffer.concat(parts), seal };
      await between();
    }
  } finally {
    file.close();
  }
}

describe('an export made in a thread', () => {
  let api: TestService;
  let thread: ExportThread;
  let ids: string[];
  let accountId: string;
  const positions: string[] = [];
  let changes = 0;

  const note = async (): Promise<void> => {
    positions.push(await api.service.httpServices.positionOf(transactions.name));
  };
  const attach = async (nth: number): Promise<void> => {
    changes += 1;
    const reference = { source: 'erp', entityType: 'invoice', externalId: `x-${changes % 3}` };
    const id = ids[nth % ids.length];
    const { status, headers } = await api.call('POST', `/banks/transactions/${id}/assignments`, {
      reference,
      tags: [`tag-${changes % 2}`],
    });
    // The same reference twice is refused.
    expect([201, 409]).toContain(status);
    const position = headers.get('x-log-position');
    if (position !== null) await api.service.httpServices.waitFor([transactions.name], position, 20_000);
  };
  const openHere = (question: FileQuestion): TransactionFile => {
    const { log, readModels } = api.service.httpServices;
    return openTransactionFile({ log, readModels, rowsAPart: ROWS_A_PART_HERE }, question);
  };

  beforeAll(async () => {
    api = await startTestService();
    thread = openExportThread({
      file: join(api.dataDir, READ_MODELS_FILE),
      rowsAPart: ROWS_A_PART,
      readStreams: (_, streams) =>
        Promise.all(
          streams.map(({ stream, fromRevision }) =>
            api.service.httpServices.log.readStreamPositions(stream, { fromRevision }),
          ),
        ),
    });
    accountId = await connectDemoBank(api, { transactionsPerDay: ROWS / 4, seed: 'thread' });
    await syncAndWait(api, accountId, { from: '2026-01-01', to: '2026-01-03' });
    await automationDone(api);
    await note();
    const { body } = await api.call<{ items: { id: string }[] }>('GET', '/banks/transactions?limit=200');
    ids = body.result.items.map(({ id }) => id);
    for (let nth = 0; nth < 20; nth += 1) await attach(nth * 7);
    await note();
    await syncAndWait(api, accountId, { from: '2026-01-03', to: '2026-01-05' });
    await automationDone(api);
    await note();
    const later = await api.call<{ items: { id: string }[] }>('GET', '/banks/transactions?limit=200');
    ids = later.body.result.items.map(({ id }) => id);
    for (let nth = 0; nth < 20; nth += 1) await attach(nth * 5);
    await note();
  });
  afterAll(async () => {
    await thread.close();
    await api.stop();
  });

  const conditions: readonly TransactionFilter[] = [
    { incoming: true },
    { incoming: false },
    { assigned: true },
    { assigned: false },
    { automationStatus: 'completed' },
    { referenceKey: 'erp:invoice:x-0' },
    { referenceKey: 'erp:invoice:none' },
    { tag: 'tag-1' },
    { from: '2026-01-02T12:00:00.000Z' },
    { to: '2026-01-03T06:00:00.000Z' },
    { minAmount: '5000' },
    { q: 'fatura' },
    { currency: 'TRY' },
  ];
  const filter = fc
    .subarray([...conditions], { maxLength: 2 })
    .map((some): TransactionFilter => Object.assign({}, ...some));
  const columns = fc.oneof(
    fc.constant([...EXPORT_COLUMNS]),
    fc.shuffledSubarray<ExportColumn>([...EXPORT_COLUMNS], { minLength: 1 }),
  );
  const dialect = fc.record({
    separator: fc.constantFrom(',', ';', '\t'),
    decimal: fc.constantFrom('.' as const, ',' as const),
    bom: fc.boolean(),
  });

  it('has the bytes of one made here, whatever is asked for and whatever changes meanwhile', async () => {
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(
        filter,
        fc.constantFrom(...TRANSACTION_SORTS),
        columns,
        dialect,
        fc.nat(4),
        fc.constantFrom(null, [COMPANY], ['another']),
        fc.nat(ids.length),
        async (asked, sort, chosen, written, at, companies, nth) => {
          const position = positions[at] ?? (await api.service.httpServices.positionOf(transactions.name));
          const question: FileQuestion = {
            tenantId: api.tenantId,
            companies,
            filter: transactionConditions(asked),
            sort: transactionSort(sort),
            position,
            columns: chosen,
            dialect: written,
          };
          let changed = 0;
          const there = await read(thread.open(question), async () => {
            changed += 1;
            if (changed <= 2) await attach(nth + changed * 17);
          });
          const here = await read(openHere(question));
          expect(there.bytes.toString()).toBe(here.bytes.toString());
          expect(there.seal).toEqual(here.seal);
          expect(there.seal?.digest).toBe(createHash('sha256').update(there.bytes).digest('base64'));
          rows += there.seal?.rows ?? 0;
        },
      ),
      { numRuns: RUNS },
    );
    expect(rows).toBeGreaterThan(ROWS);
  });

  it.runIf(process.platform === 'linux')('leaves the processors to whoever waits for a short answer', async () => {
    const question: FileQuestion = {
      tenantId: api.tenantId,
      companies: null,
      filter: [],
      sort: transactionSort('transactionDate'),
      position: positions.at(-1) ?? '',
      columns: ['id'],
      dialect: { separator: ',', decimal: '.', bom: false },
    };
    await read(thread.open(question));
    // proc(5): the nice value is the 17th field after the name in brackets.
    const niceOf = (task: string): number =>
      Number(readFileSync(`/proc/self/task/${task}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16]);
    const nice = readdirSync('/proc/self/task').map(niceOf);
    expect(nice.filter((value) => value === constants.priority.PRIORITY_LOW)).toHaveLength(1);
    expect(getPriority()).not.toBe(constants.priority.PRIORITY_LOW);
  });

  it('shows nothing of another tenant, and nothing to a caller without companies', async () => {
    const all = {
      filter: [],
      sort: transactionSort('transactionDate'),
      position: positions.at(-1) ?? '',
      columns: ['id'] as const,
      dialect: { separator: ',', decimal: '.', bom: false } as const,
    };
    for (const [tenantId, companies] of [
      ['another', null],
      [api.tenantId, []],
    ] as const) {
      const { bytes } = await read(thread.open({ ...all, tenantId, companies }));
      expect(bytes.toString()).toBe('id\r\n');
    }
    expect((await read(thread.open({ ...all, tenantId: api.tenantId, companies: null }))).seal?.rows).toBe(ids.length);
  });

  it('fails where the log does not answer, and the next one goes on', async () => {
    const question: FileQuestion = {
      tenantId: api.tenantId,
      companies: null,
      filter: [],
      sort: transactionSort('transactionDate'),
      position: positions[0] ?? '',
      columns: ['id'],
      dialect: { separator: ',', decimal: '.', bom: false },
    };
    let isAway = true;
    const other = openExportThread({
      file: join(api.dataDir, READ_MODELS_FILE),
      readStreams: async (tenantId, streams) => {
        expect(tenantId).toBe(api.tenantId);
        if (isAway) throw new Error('the log is away');
        const { log } = api.service.httpServices;
        return Promise.all(streams.map(({ stream, ...from }) => log.readStreamPositions(stream, from)));
      },
    });
    await expect(read(other.open(question))).rejects.toThrow('the log is away');
    isAway = false;
    expect((await read(other.open(question))).bytes).toEqual((await read(openHere(question))).bytes);
    await other.close();
    await expect(other.open(question).next()).rejects.toBeInstanceOf(ReadStoreUnavailable);
  });
});

type Posted = { readonly type: string; readonly id?: number };

/** A thread that answers only what the test says. */
class PlannedThread extends EventEmitter {
  readonly posted: Posted[] = [];
  postMessage(message: Posted): void {
    this.posted.push(message);
    if (message.type === 'end') setImmediate(() => this.emit('exit', 0));
  }
  ref(): void {}
  unref(): void {}
  part(id: number, seal: FileSeal | null = null): void {
    const part: FilePart = { bytes: new Uint8Array(1), seal };
    this.emit('message', { type: 'part', id, part });
  }
}

function planned(options: { readonly waitsMs?: number } = {}) {
  const started: PlannedThread[] = [];
  const thread = openExportThread({
    file: 'none',
    readStreams: async () => [],
    ...options,
    startThread: () => {
      const one = new PlannedThread();
      started.push(one);
      return one as unknown as Worker;
    },
  });
  return { started, open: () => thread.open({ tenantId: 'a' } as FileQuestion), close: thread.close };
}

const typesOf = (thread: PlannedThread | undefined) => thread?.posted.map(({ type }) => type);

describe('the thread of exports', () => {
  it('is started by the first part, and makes none that is not asked for', async () => {
    const { started, open } = planned();
    const file = open();
    expect(started).toEqual([]);
    const first = file.next();
    expect(typesOf(started[0])).toEqual(['open', 'next']);
    started[0]?.part(1);
    await first;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(typesOf(started[0])).toEqual(['open', 'next']);
    void file.next();
    expect(typesOf(started[0])).toEqual(['open', 'next', 'next']);
  });

  it('ends a file at once when it is closed, also in the middle of a part', async () => {
    const { started, open } = planned();
    const file = open();
    const part = file.next();
    file.close();
    await expect(part).rejects.toThrow('the file is closed');
    expect(typesOf(started[0])).toEqual(['open', 'next', 'close']);
    // What it had made by then reaches nobody.
    started[0]?.part(1);
    await expect(file.next()).rejects.toThrow('the file is closed');
  });

  it('ends after a while without files, and another one is started by the next file', async () => {
    const { started, open } = planned({ waitsMs: 20 });
    const [one, other] = [open(), open()];
    void one.next();
    void other.next().catch(() => {});
    started[0]?.part(1);
    one.close();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(typesOf(started[0])).not.toContain('end');
    other.close();
    await expect.poll(() => typesOf(started[0])).toContain('end');
    const next = open();
    void next.next();
    expect(started).toHaveLength(2);
    expect(typesOf(started[1])).toEqual(['open', 'next']);
  });

  it('fails every file that it was making when it ends by itself, and no other one', async () => {
    const { started, open } = planned();
    const [one, other] = [open(), open()];
    const waiting = one.next();
    const given = other.next();
    started[0]?.part(2);
    await given;
    started[0]?.emit('error', new Error('out of memory'));
    started[0]?.emit('exit', 1);
    await expect(waiting).rejects.toThrow('the thread of exports has ended: out of memory');
    // It had rows that another thread does not know: to go on would leave them out.
    await expect(other.next()).rejects.toBeInstanceOf(ReadStoreUnavailable);
    const later = open();
    const part = later.next();
    expect(started).toHaveLength(2);
    started[1]?.part(3, { rows: 0, digest: '' });
    expect((await part).seal).not.toBeNull();
  });

  it('is ended once when the service stops', async () => {
    const { started, open, close } = planned({ waitsMs: 1 });
    const file = open();
    const part = file.next();
    started[0]?.part(1);
    await part;
    file.close();
    await expect.poll(() => typesOf(started[0])).toContain('end');
    await close();
    expect(typesOf(started[0])?.filter((type) => type === 'end')).toHaveLength(1);
  });
});
