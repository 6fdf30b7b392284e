import { EventEmitter } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BankProvider } from '../../../src/providers/bank-provider.ts';
import {
  type LargeFiles,
  type LargeFilesLimits,
  openLargeFiles,
  type ReadingThread,
} from '../../../src/providers/statement-files/large-files.ts';
import type { FromReading, ToReading } from '../../../src/providers/statement-files/reading-messages.ts';
import { createStatementFiles } from '../../../src/providers/statement-files/statement-files.ts';
import { readUnchanged, type StatementFile } from '../../../src/providers/statement-files/statements-folder.ts';
import { startThread } from '../../../src/shared/start-thread.ts';
import { writeLargeFile } from '../../support/large-statements.ts';
import { camtStatement, mt940Statement } from '../../support/statement-texts.ts';
import { accountsOf, NOW_MS, pagesOf, present, rowsOf, sessionOf, unclaimed } from '../sessions.ts';

const EVER = { fromDay: '1970-01-01', toDay: '2025-06-16' };
const READING_THREAD = new URL('../../../src/providers/statement-files/reading-thread.ts', import.meta.url);
const OLD = new Date(NOW_MS - 3_600_000);

let root: string;
let spools: string;
const opened: LargeFiles[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'large-'));
  spools = join(root, 'spools');
  await mkdir(join(root, 'acme'));
});
afterEach(async () => {
  for (const large of opened.splice(0)) await large.close();
  await rm(root, { recursive: true });
});

function openBank(limits: Partial<LargeFilesLimits> = {}, startThread?: () => ReadingThread): BankProvider {
  const large = openLargeFiles({
    folder: spools,
    limits: { smallBytes: 0, ...limits },
    ...(startThread === undefined ? {} : { startThread }),
  });
  opened.push(large);
  return createStatementFiles({ statementsDir: root, folderOwners: unclaimed, largeFiles: large });
}

async function deliver(name: string, content: string | Uint8Array): Promise<void> {
  const path = join(root, 'acme', name);
  await writeFile(path, content);
  await utimes(path, OLD, OLD);
}

const session = () => sessionOf({ folder: 'acme' }, { environment: 'production' });
const row = (day: string, change: number, text = 'x') => ({ day, change, text });
const ONE = mt940Statement({ opening: 0, rows: [row('2025-03-03', 5), row('2025-03-03', 5), row('2025-03-04', -1)] });

describe('a large statement file', () => {
  it('yields the same accounts and pages as one that is read in memory', async () => {
    await deliver('1.sta', ONE);
    await deliver('2.xml', camtStatement({ opening: 9, rows: [row('2025-03-05', 7), row('2025-03-05', 7)] }));
    await deliver('3.sta.gz', gzipSync(ONE.replaceAll('?20x', '?20y')));
    await deliver('4.sta', ONE.replace('62F', '69F'));
    await deliver('5.txt', 'no statement');
    const many = Array.from({ length: 4_500 }, (_, index) =>
      row(`2025-04-0${1 + (index % 3)}`, index % 700, `${index}`),
    );
    await deliver('6.sta', mt940Statement({ opening: 0, rows: many }));
    const ends: unknown[] = [];
    for (const smallBytes of [0, 1_000_000]) {
      const bank = openBank({ smallBytes });
      const asked = session();
      const found = await bank.discoverAccounts(asked);
      const pages = await pagesOf(bank, asked, present(found.accounts[0]), EVER);
      ends.push({ found, pages, exchanges: asked.exchanges });
    }
    expect(ends[0]).toEqual(ends[1]);
    const sizes = (ends[0] as { pages: never[] }).pages.map((page) => rowsOf([page]).length);
    expect(sizes).toEqual([...Array.from({ length: 22 }, () => 200), 108]);
  });

  it('is refused without being read when it is larger than a file may be', async () => {
    await deliver('a.sta', '');
    await truncate(join(root, 'acme', 'a.sta'), 1024 ** 3 + 1);
    await utimes(join(root, 'acme', 'a.sta'), OLD, OLD);
    const bank = openBank({ smallBytes: 256 * 1024 }, () => {
      throw new Error('no thread is needed');
    });
    expect((await bank.discoverAccounts(session())).faults).toEqual([
      {
        code: 'STATEMENT_FILE_TOO_LARGE',
        message: 'the file is larger than 1024 MiB',
        source: 'a.sta',
        place: null,
      },
    ]);
  });

  it('is read once for all its pages and for later syncs', async () => {
    await writeLargeFile(join(root, 'acme', 'a.sta'), { format: 'MT940', rows: 5_000 });
    await utimes(join(root, 'acme', 'a.sta'), OLD, OLD);
    let asked = 0;
    const bank = openBank({}, () => {
      const thread = startThread(READING_THREAD, {});
      const post = thread.postMessage.bind(thread);
      thread.postMessage = (message: unknown) => {
        asked += 1;
        post(message);
      };
      return thread;
    });
    for (let time = 0; time < 2; time += 1) {
      const [account] = await accountsOf(bank, session());
      expect(rowsOf(await pagesOf(bank, session(), present(account), EVER))).toHaveLength(5_000);
    }
    expect(asked).toBe(1);
  });

  it('has a spool accessible only to its owner, which is removed when the service stops or starts', async () => {
    await deliver('a.sta', ONE);
    await mkdir(spools);
    await writeFile(join(spools, 'left.sqlite'), 'of a process that was killed');
    const bank = openBank();
    expect(existsSync(spools)).toBe(false);
    await bank.discoverAccounts(session());
    expect(readdirSync(spools)).toHaveLength(1);
    expect(statSync(spools).mode & 0o077).toBe(0);
    await opened.pop()?.close();
    expect(existsSync(spools)).toBe(false);
  });

  it('loses its spool when all spools together are too large, and is read again', async () => {
    await deliver('a.sta', ONE);
    await deliver('b.sta', mt940Statement({ opening: 8, rows: [row('2025-03-05', 1)] }));
    const bank = openBank({ allSpoolsBytes: 1 });
    const [account] = await accountsOf(bank, session());
    expect(readdirSync(spools)).toHaveLength(1);
    expect(rowsOf(await pagesOf(bank, session(), present(account), EVER))).toHaveLength(4);
  });
});

describe('a large file that cannot be read to its end', () => {
  /** Reads ten bytes of a file, then the rest. */
  async function readWhile(change: (path: string) => Promise<void>): Promise<string | null> {
    await deliver('a.sta', ONE);
    const path = join(root, 'acme', 'a.sta');
    const { size, mtimeMs } = statSync(path);
    const read = await readUnchanged({ path, size, mtimeMs }, async (source) => {
      const first = await source.read(0, 10);
      await change(path);
      return Buffer.concat([first, await source.read(10, size - 10)]);
    });
    return read?.toString() ?? null;
  }

  it.each<[string, (path: string) => Promise<void>]>([
    ['is cut off', (path) => truncate(path, 10)],
    ['grows', (path) => writeFile(path, 'more', { flag: 'a' })],
    ['is rewritten', (path) => writeFile(path, 'x'.repeat(statSync(path).size))],
  ])('counts as still being written when it %s while it is read', async (_what, change) => {
    expect(await readWhile(change)).toBeNull();
  });

  it.each<[string, (path: string) => Promise<void>]>([
    ['replaced', async (path) => rename(await copyOf(path), path)],
    ['removed', (path) => rm(path)],
  ])('is read as it was listed when it is %s meanwhile, and not the file in its place', async (_what, change) => {
    expect(await readWhile(change)).toBe(ONE);
  });

  async function copyOf(path: string): Promise<string> {
    await writeFile(`${path}.new`, ONE.replace('C5,', 'C6,'));
    return `${path}.new`;
  }

  it('does not prevent other files from being read when it ends the thread, and is read again at the next sync', async () => {
    await deliver('a.sta', ONE);
    await deliver('crash.sta', ONE);
    await deliver('z.sta', mt940Statement({ opening: 9, rows: [row('2025-03-05', 1)] }));
    let threads = 0;
    const bank = openBank({}, () => {
      threads += 1;
      return startThread(new URL('./crashing-thread-child.ts', import.meta.url), {});
    });
    const fault = {
      code: 'STATEMENT_FILE_UNREADABLE',
      message: 'the file cannot be read: it ended the thread that reads',
      source: 'crash.sta',
      place: null,
    };
    const { accounts, faults } = await bank.discoverAccounts(session());
    expect(faults).toEqual([fault]);
    expect(rowsOf(await pagesOf(bank, session(), present(accounts[0]), EVER))).toHaveLength(4);
    expect(threads).toBe(2);
    expect((await bank.discoverAccounts(session())).faults).toEqual([fault]);
    expect(threads).toBe(2);
    await rename(join(root, 'acme', 'crash.sta'), join(root, 'acme', 'fine.sta'));
    expect((await bank.discoverAccounts(session())).faults).toEqual([]);
  });

  it('is named when there is no room for it, and the others are imported', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => row('2025-03-03', index, `text ${index}`));
    await deliver('large.sta', mt940Statement({ opening: 0, rows }));
    await deliver('small.sta', mt940Statement({ opening: 8, rows: [row('2025-03-05', 1)] }));
    const bank = openBank({ smallBytes: 1_000, spoolBytes: 64 * 1024 });
    const { accounts, faults } = await bank.discoverAccounts(session());
    expect(faults).toEqual([
      {
        code: 'STATEMENT_SPOOL_UNAVAILABLE',
        message: 'there is no room to read the file into: database or disk is full',
        source: 'large.sta',
        place: null,
      },
    ]);
    expect(rowsOf(await pagesOf(bank, session(), present(accounts[0]), EVER))).toHaveLength(1);
    expect(readdirSync(spools)).toEqual([]);
  });

  it('is named when the folder for it cannot be written, and read when it can', async () => {
    await deliver('a.sta', ONE);
    await writeFile(spools, 'a file in its place');
    const bank = openBank();
    await writeFile(spools, 'a file in its place');
    const { faults } = await bank.discoverAccounts(session());
    expect(faults).toMatchObject([{ code: 'STATEMENT_SPOOL_UNAVAILABLE', source: 'a.sta' }]);
    await rm(spools);
    expect(await bank.discoverAccounts(session())).toMatchObject({ accounts: [{}], faults: [] });
  });

  it('is cancelled when no caller waits for it any more, and can be requested again', async () => {
    await writeLargeFile(join(root, 'acme', 'a.sta'), { format: 'MT940', rows: 20_000 });
    await utimes(join(root, 'acme', 'a.sta'), OLD, OLD);
    const bank = openBank();
    const asker = new AbortController();
    const given = bank.discoverAccounts({ ...session(), signal: asker.signal });
    asker.abort();
    await expect(given).rejects.toMatchObject({ kind: 'transient', code: 'PROVIDER_REQUEST_ABORTED' });
    expect(await bank.discoverAccounts(session())).toMatchObject({ accounts: [{}], faults: [] });
    expect(readdirSync(spools)).toHaveLength(1);
  });

  it('does not keep the service from closing while it is read', async () => {
    await writeLargeFile(join(root, 'acme', 'a.sta'), { format: 'MT940', rows: 20_000 });
    await utimes(join(root, 'acme', 'a.sta'), OLD, OLD);
    const started = Promise.withResolvers<void>();
    const bank = openBank({}, () => {
      const thread = startThread(READING_THREAD, {});
      thread.once('online', () => started.resolve());
      return thread;
    });
    const asked = bank.discoverAccounts(session()).catch((error: unknown) => error);
    await started.promise;
    await opened.pop()?.close();
    expect(await asked).toMatchObject({ kind: 'transient', code: 'PROVIDER_REQUEST_ABORTED' });
    expect(existsSync(spools)).toBe(false);
  });
});

/** A thread that answers when the test lets it. */
class HeldThread extends EventEmitter implements Pick<Worker, 'postMessage' | 'ref' | 'unref' | 'terminate'> {
  readonly asked: ToReading[] = [];
  postMessage(message: ToReading): void {
    this.asked.push(message);
  }
  ref(): void {}
  unref(): void {}
  async terminate(): Promise<number> {
    this.emit('exit', 1);
    return 1;
  }
  /** The names of the files that are being read or were read, and of those cancelled. */
  get names(): string[] {
    return this.asked.map((one) => (one.type === 'read' ? one.file.name : `without ${this.nameOf(one.id)}`));
  }
  answer(name: string, type: 'pending' = 'pending'): void {
    const found = this.asked.findLast((one) => one.type === 'read' && one.file.name === name);
    this.emit('message', { id: present(found).id, type } satisfies FromReading);
  }
  private nameOf(id: number): string {
    const found = this.asked.find((one) => one.type === 'read' && one.id === id);
    return found?.type === 'read' ? found.file.name : '';
  }
}

describe('the thread that reads large files', () => {
  let threads: HeldThread[] = [];
  beforeEach(() => {
    threads = [];
  });

  function openHeld(limits: Partial<LargeFilesLimits> = {}) {
    const large = openLargeFiles({
      folder: spools,
      limits,
      startThread: () => {
        const thread = new HeldThread();
        threads.push(thread);
        return thread as unknown as ReadingThread;
      },
    });
    opened.push(large);
    const read = (tenantId: string, name: string, signal = new AbortController().signal) => {
      const file: StatementFile = { name, path: `/${name}`, size: 1, mtimeMs: 1 };
      const settings = { balances: 'strict', charset: null, csv: null } as const;
      return large.read(`${tenantId} ${name}`, file, { tenantId, signal, settings });
    };
    return { large, read, thread: () => present(threads.at(-1)) };
  }

  it('reads one file of a tenant at a time, and those of tenants in turn', async () => {
    const { read, thread } = openHeld({ atOnce: 2 });
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => read(name.slice(0, 1), name));
    expect(thread().names).toEqual(['a1', 'b1']);
    thread().answer('a1');
    thread().answer('b1');
    await Promise.all(all.filter((_, index) => index === 0 || index === 3));
    expect(thread().names.slice(2)).toEqual(['a2', 'b2']);
    thread().answer('a2');
    thread().answer('b2');
    expect(thread().names.slice(4)).toEqual(['c1', 'a3']);
    thread().answer('c1');
    thread().answer('a3');
    await Promise.all(all);
  });

  it('ends when it had nothing to read for a while, and another one reads the next file', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { read, thread } = openHeld({ threadWaitsMs: 3_000 });
      const first = read('a', 'x');
      const reading = thread();
      const ended = vi.spyOn(reading, 'terminate').mockResolvedValue(1);
      vi.advanceTimersByTime(10_000);
      expect(ended).not.toHaveBeenCalled();
      reading.answer('x');
      await first;
      vi.advanceTimersByTime(2_999);
      const second = read('a', 'y');
      vi.advanceTimersByTime(10_000);
      expect(ended).not.toHaveBeenCalled();
      reading.answer('y');
      await second;
      vi.advanceTimersByTime(3_000);
      expect(ended).toHaveBeenCalledOnce();
      const third = read('a', 'z');
      expect(threads).toHaveLength(2);
      // The end of the former one, which comes late, ends no reading of the other.
      reading.emit('exit', 1);
      thread().answer('z');
      expect(await third).toEqual({ kind: 'pending' });
      expect(threads).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('reads a file once for all callers, and cancels it when the last of them gives up', async () => {
    const { read, thread } = openHeld();
    const [first, second] = [new AbortController(), new AbortController()];
    const asked = [read('a', 'x', first.signal), read('a', 'x', second.signal)];
    first.abort();
    await expect(asked[0]).rejects.toMatchObject({ code: 'PROVIDER_REQUEST_ABORTED' });
    expect(thread().names).toEqual(['x']);
    second.abort();
    await expect(asked[1]).rejects.toMatchObject({ code: 'PROVIDER_REQUEST_ABORTED' });
    expect(thread().names).toEqual(['x', 'without x']);
    const again = read('a', 'x');
    expect(thread().names).toHaveLength(2);
    thread().answer('x');
    expect(thread().names).toEqual(['x', 'without x', 'x']);
    thread().answer('x');
    expect(await again).toEqual({ kind: 'pending' });
  });

  it('cancels a waiting file without a message to the thread', async () => {
    const { read, thread } = openHeld({ atOnce: 1 });
    const first = read('a', 'x');
    const asker = new AbortController();
    const waiting = read('b', 'y', asker.signal);
    asker.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'PROVIDER_REQUEST_ABORTED' });
    thread().answer('x');
    await first;
    expect(thread().names).toEqual(['x']);
  });

  it('refuses further files temporarily when too many wait', async () => {
    const { read } = openHeld({ atOnce: 1, waiting: 1 });
    const first = read('a', 'x').catch(() => null);
    const second = read('b', 'y').catch(() => null);
    await expect(read('c', 'z')).rejects.toMatchObject({ kind: 'transient', code: 'STATEMENT_READING_BUSY' });
    await opened.pop()?.close();
    await Promise.all([first, second]);
  });

  it('after it ended, reads each interrupted file alone to find out which one was the cause', async () => {
    const { read, thread } = openHeld();
    const [good, bad] = [read('a', 'good'), read('b', 'bad')];
    thread().emit('exit', 1);
    expect(threads).toHaveLength(2);
    expect(thread().names).toEqual(['good']);
    thread().answer('good');
    expect(await good).toEqual({ kind: 'pending' });
    expect(thread().names).toEqual(['good', 'bad']);
    thread().emit('exit', 1);
    expect(await bad).toMatchObject({ outline: { faults: [{ code: 'STATEMENT_FILE_UNREADABLE', source: 'bad' }] } });
    expect(threads).toHaveLength(2);
  });
});
