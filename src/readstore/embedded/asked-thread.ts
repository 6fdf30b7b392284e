import type { ResourceLimits, Worker } from 'node:worker_threads';
import { startThread } from '../../shared/start-thread.ts';
import { ReadStoreDamaged, ReadStoreUnavailable } from '../read-store.ts';

/** A list may arrive in several parts; the last one is the `value`. */
export type Answer =
  | { readonly id: number; readonly part: readonly unknown[] }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string; readonly kind: FailureKind };

type FailureKind = 'unavailable' | 'damaged' | 'other';

type Waiting = {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  readonly parts: unknown[];
};

/**
 * A thread that has the file open and answers messages. The first request starts it. If it fails, unanswered requests
 * fail as unavailable (done or not, as with any lost answer), and the next one starts another thread.
 */
export class AskedThread {
  readonly #body: URL;
  readonly #file: string;
  readonly #limits: ResourceLimits;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;
  #closing: Promise<void> | undefined;

  constructor(body: URL, file: string, limits: ResourceLimits) {
    this.#body = body;
    this.#file = file;
    this.#limits = limits;
  }

  /** The number of unanswered requests. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * The running thread; a new one has none of the state sent to the one before.
   * @throws ReadStoreUnavailable once closed: a thread started then would open the file again
   */
  get current(): object {
    return this.#running();
  }

  /** @throws ReadStoreUnavailable, or the error of the thread */
  async ask<Value>(question: object): Promise<Value> {
    this.#lastId += 1;
    const id = this.#lastId;
    const worker = this.#running();
    return new Promise<Value>((resolve, reject) => {
      worker.postMessage({ ...question, id });
      // Keeps the process alive only while a request is unanswered.
      if (this.#waiting.size === 0) worker.ref();
      this.#waiting.set(id, { resolve, reject, parts: [] });
    });
  }

  /** A message without an answer; dropped when no thread runs. */
  post(message: object): void {
    if (this.#closing === undefined) this.#worker?.postMessage(message);
  }

  /** Resolves once the thread has ended, which it does only after closing its files. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref();
    worker.postMessage({ type: 'close' });
    await new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  }

  #running(): Worker {
    if (this.#closing !== undefined) throw new ReadStoreUnavailable('the read store is closed');
    this.#worker ??= this.#start();
    return this.#worker;
  }

  #start(): Worker {
    const worker = startThread(this.#body, { workerData: { file: this.#file }, resourceLimits: this.#limits });
    worker.unref();
    let fault = 'it ended';
    worker.on('message', (answer: Answer) => this.#settle(worker, answer));
    worker.on('error', (error) => {
      fault = error instanceof Error ? error.message : String(error);
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      for (const { reject } of this.#waiting.values())
        reject(new ReadStoreUnavailable(`a thread of the read store has ended: ${fault}`));
      this.#waiting.clear();
    });
    return worker;
  }

  #settle(worker: Worker, answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if ('part' in answer) {
      for (const one of answer.part) waiting?.parts.push(one);
      return;
    }
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0 && this.#closing === undefined) worker.unref();
    if ('value' in answer) {
      const { parts = [] } = waiting ?? {};
      waiting?.resolve((parts.length === 0 ? answer.value : parts.concat(answer.value)) as never);
    } else waiting?.reject(failureOf(answer.kind, answer.error));
  }
}

/** A failure as the thread reports it. */
export function reportedFailure(error: unknown): { error: string; kind: FailureKind } {
  return { error: error instanceof Error ? error.message : String(error), kind: kindOf(error) };
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof ReadStoreDamaged) return 'damaged';
  return error instanceof ReadStoreUnavailable ? 'unavailable' : 'other';
}

function failureOf(kind: FailureKind, message: string): Error {
  if (kind === 'damaged') return new ReadStoreDamaged(message);
  return kind === 'unavailable' ? new ReadStoreUnavailable(message) : new Error(message);
}
