import type { Worker } from 'node:worker_threads';
import type { RecordedEvent } from '../events/event.ts';
import type { FilePart, FileQuestion, TransactionFile } from '../http/routes/transactions/transaction-file.ts';
import { ReadStoreUnavailable } from '../readstore/read-store.ts';
import { startThread } from '../shared/start-thread.ts';
import type { AskedStream, FromExports, ToExports } from './export-messages.ts';

/** Some 1 to 3 ms, and 80 kB. What one file holds of memory grows with it. */
const ROWS_ASIDE = 256;
/** For how long the thread waits for another file before it ends. */
const WAITS_MS = 5_000;
/** The documents of a part of some files, of which each may have 16 MB. */
const THREAD_MEMORY = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 128 } as const;

/** The part of a worker thread that is used here. */
export type ExportingThread = Pick<Worker, 'postMessage' | 'on' | 'ref' | 'unref'>;

export type ExportThread = {
  readonly open: (question: FileQuestion) => TransactionFile;
  /** Resolves once the thread has closed its files. */
  readonly close: () => Promise<void>;
};

type Open = {
  readonly tenantId: string;
  /** Of the part that is being made. */
  waiting: PromiseWithResolvers<FilePart> | null;
};

/** A running thread with the files that it makes. */
type Running = {
  readonly worker: ExportingThread;
  readonly files: Map<number, Open>;
  readonly ended: Promise<void>;
  /** Why it has ended. */
  fault: string | null;
  idle: NodeJS.Timeout | undefined;
  isEnding: boolean;
};

/**
 * Exports of transactions in a thread of their own, with a connection of its own to the file of the read models
 * (ADR 0056). The first file starts it. If it fails, so do the files that it was making, and the next one starts
 * another thread.
 * @param options.readStreams reads the log here, for a tenant: for what has changed since the position of a file
 * @param options.startThread replaced in tests
 */
export function openExportThread(options: {
  readonly file: string;
  readonly readStreams: (tenantId: string, streams: readonly AskedStream[]) => Promise<RecordedEvent[][]>;
  readonly rowsAPart?: number;
  readonly waitsMs?: number;
  readonly startThread?: () => ExportingThread;
}): ExportThread {
  const { file, readStreams, rowsAPart = ROWS_ASIDE, waitsMs = WAITS_MS } = options;
  const start = options.startThread ?? (() => startExporting(file, rowsAPart));
  /** Those that have not ended yet: one that is ending may still have its file open. */
  const threads = new Set<Running>();
  let current: Running | null = null;
  let lastId = 0;
  let isClosed = false;

  function begin(): Running {
    const worker = start();
    const ending = Promise.withResolvers<void>();
    const files = new Map<number, Open>();
    const running: Running = { worker, files, ended: ending.promise, fault: null, idle: undefined, isEnding: false };
    threads.add(running);
    let reason = 'it ended';
    worker.on('message', (message: FromExports) => void take(running, message));
    worker.on('error', (error: unknown) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    worker.on('exit', () => {
      running.fault = reason;
      threads.delete(running);
      if (current === running) current = null;
      clearTimeout(running.idle);
      for (const { waiting } of files.values()) waiting?.reject(lost(reason));
      ending.resolve();
    });
    return running;
  }

  async function take(running: Running, message: FromExports): Promise<void> {
    const open = running.files.get(message.id);
    if (message.type !== 'streams') {
      const waiting = open?.waiting;
      if (open !== undefined) open.waiting = null;
      if (message.type === 'part') waiting?.resolve(message.part);
      else waiting?.reject(new ReadStoreUnavailable(message.error));
      return;
    }
    const { asked, streams } = message;
    try {
      if (open === undefined) throw new Error('the file is closed');
      post(running, { type: 'events', asked, streams: await readStreams(open.tenantId, streams) });
    } catch (error) {
      post(running, { type: 'noEvents', asked, error: error instanceof Error ? error.message : String(error) });
    }
  }

  function post({ worker }: Running, message: ToExports): void {
    worker.postMessage(message);
  }

  function end(running: Running): void {
    clearTimeout(running.idle);
    if (current === running) current = null;
    if (!running.isEnding) post(running, { type: 'end' });
    running.isEnding = true;
  }

  return {
    open(question) {
      lastId += 1;
      const id = lastId;
      const open: Open = { tenantId: question.tenantId, waiting: null };
      let running: Running | undefined;
      let isOver = false;

      /** Not before the first part is asked for: an answer that nobody reads costs nothing. */
      function began(): Running {
        if (isClosed) throw new ReadStoreUnavailable('the read store is closed');
        current ??= begin();
        clearTimeout(current.idle);
        current.worker.ref();
        current.files.set(id, open);
        post(current, { type: 'open', id, question });
        return current;
      }

      return {
        async next() {
          if (isOver) throw new ReadStoreUnavailable('the file is closed');
          running ??= began();
          if (running.fault !== null) throw lost(running.fault);
          open.waiting = Promise.withResolvers();
          post(running, { type: 'next', id });
          return open.waiting.promise;
        },
        close() {
          isOver = true;
          if (running === undefined || !running.files.delete(id)) return;
          open.waiting?.reject(new ReadStoreUnavailable('the file is closed'));
          if (running.fault !== null) return;
          post(running, { type: 'close', id });
          const left = running;
          if (left.files.size > 0) return;
          left.worker.unref();
          left.idle = setTimeout(() => end(left), waitsMs).unref();
        },
      };
    },
    async close() {
      isClosed = true;
      for (const running of threads) {
        running.worker.ref();
        end(running);
      }
      await Promise.all([...threads].map(({ ended }) => ended));
    },
  };
}

function lost(reason: string): ReadStoreUnavailable {
  return new ReadStoreUnavailable(`the thread of exports has ended: ${reason}`);
}

function startExporting(file: string, rowsAPart: number): Worker {
  const body = new URL('./export-thread-body.ts', import.meta.url);
  return startThread(body, { name: 'exports', workerData: { file, rowsAPart }, resourceLimits: THREAD_MEMORY });
}
