import { ReadStoreUnavailable } from '../read-store.ts';
import { AskedThread } from './asked-thread.ts';
import type { Sql } from './find-sql.ts';

/** A snapshot is identified by its number from its first read to its release. */
export type ToReader =
  | { readonly type: 'read'; readonly id: number; readonly view?: number; readonly sql: Sql }
  | { readonly type: 'release'; readonly view: number }
  | { readonly type: 'close' };

/** It holds a part of an answer at a time. */
const THREAD_MEMORY = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 } as const;
/** More waiting reads, of seconds each, would take longer than any caller waits. */
const MOST_WAITING = 100;

/** The state at the first read, until it is closed. */
export type View = { readonly all: (sql: Sql) => Promise<unknown[]>; readonly close: () => void };

/** Reads in a thread of its own: for finds that may scan much of a large table. */
export class ThreadedReader {
  readonly #thread: AskedThread;
  #lastView = 0;

  constructor(file: string) {
    this.#thread = new AskedThread(new URL('./reader-thread.ts', import.meta.url), file, THREAD_MEMORY);
  }

  /**
   * The column `doc` or `matches` of each row.
   * @throws ReadStoreUnavailable also when too many wait already
   */
  all(sql: Sql): Promise<unknown[]> {
    return this.#read({ type: 'read', sql });
  }

  view(): View {
    this.#lastView += 1;
    const view = this.#lastView;
    const thread = this.#thread.current;
    return {
      all: (sql) => {
        // Another thread would have another snapshot.
        if (thread !== this.#thread.current) return Promise.reject(new ReadStoreUnavailable('the view is gone'));
        return this.#read({ type: 'read', view, sql });
      },
      close: () => this.#thread.tell({ type: 'release', view }),
    };
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #read(message: Omit<Extract<ToReader, { type: 'read' }>, 'id'>): Promise<unknown[]> {
    if (this.#thread.waiting >= MOST_WAITING) {
      return Promise.reject(new ReadStoreUnavailable('too many long reads are already waiting'));
    }
    return this.#thread.ask(message);
  }
}
