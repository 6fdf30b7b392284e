import { createFairQueue, QueueFull } from '../../shared/fair-queue.ts';
import type { Filter } from '../read-store.ts';
import { ReadStoreBusy, ReadStoreUnavailable } from '../read-store.ts';
import { AskedThread } from './asked-thread.ts';
import type { Sql } from './sql.ts';

/** A snapshot is identified by its number from its first read to its release. */
export type ToReader =
  | { readonly type: 'read'; readonly id: number; readonly view?: number; readonly sql: Sql }
  | { readonly type: 'release'; readonly view: number }
  | { readonly type: 'close' };

/** It holds a part of an answer at a time. */
const THREAD_MEMORY = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 128 } as const;
/** A tenant uses one at a time, so its long reads leave the other one to all other tenants. */
const THREADS = 2;
/** More waiting reads, of seconds each, would take longer than any caller waits. */
const MOST_WAITING_OF_ONE = 50;

/** The state at the first read, until it is closed. */
export type View = { readonly all: (sql: Sql) => Promise<unknown[]>; readonly close: () => void };

/** On whose behalf a find is read: the tenant that the filter names, "" for the service itself. */
export function readerOf(filter: Filter): string {
  for (const { field, op, value } of filter) {
    if (typeof value !== 'string') continue;
    if (field === 'tenantId' && op === 'eq') return value;
    // The first part of a document's id.
    if (field === '_id' && op === 'prefix') return value.split('/')[0] ?? '';
  }
  return '';
}

/** Reads in dedicated threads, for finds that may scan much of a large table. Tenants take turns. */
export class ThreadedReader {
  readonly #threads: readonly AskedThread[];
  readonly #queue = createFairQueue({ places: THREADS, alone: 'half', mostWaiting: MOST_WAITING_OF_ONE });
  #lastView = 0;

  constructor(file: string) {
    const body = new URL('./reader-thread.ts', import.meta.url);
    this.#threads = Array.from({ length: THREADS }, () => new AskedThread(body, file, THREAD_MEMORY));
  }

  /**
   * The column `doc` or `matches` of each row.
   * @throws ReadStoreUnavailable, ReadStoreBusy when too many reads of the asker are waiting already
   */
  all(asker: string, sql: Sql): Promise<unknown[]> {
    return this.#inTurn(asker, () => this.#idlest().ask({ type: 'read', sql }));
  }

  view(asker: string): View {
    this.#lastView += 1;
    const view = this.#lastView;
    // Views are few and need little work: each stays on one thread, whatever else runs there.
    const thread = this.#threads[(view - 1) % THREADS] as AskedThread;
    const running = thread.current;
    return {
      all: (sql) => {
        // Another thread would have another snapshot.
        if (running !== thread.current) return Promise.reject(new ReadStoreUnavailable('the view is gone'));
        return this.#inTurn(asker, () => thread.ask({ type: 'read', view, sql }));
      },
      close: () => thread.post({ type: 'release', view }),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  async #inTurn<T>(asker: string, read: () => Promise<T>): Promise<T> {
    try {
      return await this.#queue.run(asker, read);
    } catch (error) {
      if (error instanceof QueueFull) throw new ReadStoreBusy();
      throw error;
    }
  }

  /**
   * The thread with the fewest open requests; the first one if both are idle, so the second starts only when needed.
   */
  #idlest(): AskedThread {
    return this.#threads.reduce((one, other) => (other.waiting < one.waiting ? other : one));
  }
}
