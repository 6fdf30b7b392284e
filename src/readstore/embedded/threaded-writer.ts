import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ReadStoreUnavailable } from '../read-store.ts';
import type { TableLayout } from './table-layout.ts';
import type { WriteCommands, WriteKind, Writer } from './write-command.ts';

export type ToThread =
  | { readonly type: 'layout'; readonly id: number; readonly layout: TableLayout }
  | {
      readonly type: 'write';
      readonly id: number;
      readonly kind: WriteKind;
      readonly of: object;
      readonly layout?: number;
    }
  | { readonly type: 'close' };

export type FromThread =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string; readonly passing: boolean };

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: unknown) => void };

/** It holds a few batches at a time; unbounded, its heap would grow to what the machine has before it is tidied. */
const THREAD_MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 } as const;

type Thread = { readonly worker: Worker; readonly layouts: WeakMap<TableLayout, number> };

/**
 * Hands commands to a thread of its own that has the file open. Should the thread fail, what it had not answered is unavailable (done or not,
 * as with any lost answer), and the next command starts another.
 */
export class ThreadedWriter implements Writer {
  readonly #file: string;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Thread | undefined;
  #lastId = 0;
  #closed = false;

  /** The thread is started by the first command. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Everything asked for is answered: the thread is in no transaction. */
  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  write<Kind extends WriteKind>(kind: Kind, of: WriteCommands[Kind]['of']): Promise<WriteCommands[Kind]['gives']> {
    if (this.#closed) return Promise.reject(new ReadStoreUnavailable('the read store is closed'));
    this.#thread ??= this.#start();
    const thread = this.#thread;
    return new Promise((resolve, reject) => {
      const message = this.#messageOf(thread, kind, of);
      thread.worker.postMessage(message);
      // The process stays for as long as something is to be written, and no longer.
      if (this.#waiting.size === 0) thread.worker.ref();
      this.#waiting.set(message.id, { resolve: (value) => resolve(value as WriteCommands[Kind]['gives']), reject });
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const worker = this.#thread?.worker;
    if (worker === undefined) return;
    worker.ref();
    worker.postMessage({ type: 'close' } satisfies ToThread);
    await once(worker, 'exit');
  }

  /** A layout is sent once, and named by its number from then on. */
  #messageOf(thread: Thread, kind: WriteKind, of: object): ToThread & { type: 'write' } {
    this.#lastId += 1;
    const id = this.#lastId;
    if (!('layout' in of)) return { type: 'write', id, kind, of };
    const { layout, ...rest } = of as { layout: TableLayout };
    let known = thread.layouts.get(layout);
    if (known === undefined) {
      known = id;
      thread.layouts.set(layout, known);
      thread.worker.postMessage({ type: 'layout', id: known, layout } satisfies ToThread);
    }
    return { type: 'write', id, kind, of: rest, layout: known };
  }

  #start(): Thread {
    const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      workerData: { file: this.#file },
      resourceLimits: THREAD_MEMORY,
    });
    worker.unref();
    let fault = 'it ended';
    worker.on('message', (message: FromThread) => this.#settle(worker, message));
    worker.on('error', (error) => {
      fault = error instanceof Error ? error.message : String(error);
    });
    worker.on('exit', () => {
      this.#thread = undefined;
      for (const { reject } of this.#waiting.values())
        reject(new ReadStoreUnavailable(`the writing thread is gone: ${fault}`));
      this.#waiting.clear();
    });
    return { worker, layouts: new WeakMap() };
  }

  #settle(worker: Worker, message: FromThread): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0 && !this.#closed) worker.unref();
    if ('value' in message) waiting?.resolve(message.value);
    else waiting?.reject(message.passing ? new ReadStoreUnavailable(message.error) : new Error(message.error));
  }
}
