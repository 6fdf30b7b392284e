import type { Worker } from 'node:worker_threads';
import { orAborted } from '../../shared/or-aborted.ts';
import { startThread } from '../../shared/start-thread.ts';
import { ProviderError, type SourceFault } from '../bank-provider.ts';
import type { DayOutline } from './day-outlines.ts';
import type { ClosingSummary, ReadFile } from './file-content.ts';
import type { FileSettings } from './file-settings.ts';
import { openQueueInTurn } from './queue-in-turn.ts';
import type { FromReading, ToReading } from './reading-messages.ts';
import { outlineOf } from './small-file.ts';
import { openSpoolFolder } from './spool-folder.ts';
import { type StatementFile, unreadable } from './statements-folder.ts';

/** On whose behalf a file is read, and the signal that cancels it. */
export type Asker = { readonly tenantId: string; readonly signal: AbortSignal };

export type LargeFiles = {
  /**
   * Reads a file into a spool in a separate thread; returns at once when its spool is still kept.
   * @param key identifies this version of the file and the settings with which it is read
   * @throws ProviderError (transient) when reading was cancelled, or too many files wait to be read
   */
  readonly read: (
    key: string,
    file: StatementFile,
    asker: Asker & { readonly settings: FileSettings },
  ) => Promise<ReadFile>;
  /** Whether a file is read in the thread and not by the caller. */
  readonly isLarge: (key: string, file: StatementFile) => boolean;
  /** Aborts what is being read, ends the thread and removes the spools. */
  readonly close: () => Promise<void>;
};

export type LargeFilesLimits = {
  /** Files up to this size are read by the caller, which is faster than a message to a thread. */
  readonly smallBytes: number;
  /** The largest file, in bytes. */
  readonly fileBytes: number;
  /** The largest size in bytes of one spool and of all together; the least recently used ones are dropped. */
  readonly spoolBytes: number;
  readonly allSpoolsBytes: number;
  /** Files read at a time, one per tenant, and files that may wait. */
  readonly atOnce: number;
  readonly waiting: number;
  /** For how long the thread waits for another file before it ends: it takes some 30 MB. */
  readonly threadWaitsMs: number;
};

const GIBIBYTE = 1024 ** 3;
const LIMITS: LargeFilesLimits = {
  smallBytes: 256 * 1024,
  fileBytes: GIBIBYTE,
  spoolBytes: 3 * GIBIBYTE,
  allSpoolsBytes: 4 * GIBIBYTE,
  atOnce: 3,
  waiting: 1_000,
  threadWaitsMs: 200,
};
/** Memory for a piece of each file and the outline of its statements. */
const THREAD_MEMORY = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 } as const;

/** The part of a worker thread that is used here. */
export type ReadingThread = Pick<Worker, 'postMessage' | 'on' | 'ref' | 'unref' | 'terminate'>;

type Reading = {
  readonly id: number;
  readonly key: string;
  readonly tenantId: string;
  readonly file: StatementFile;
  readonly settings: FileSettings;
  readonly spoolPath: string;
  readonly summaries: ClosingSummary[];
  readonly days: (readonly DayOutline[])[];
  readonly done: PromiseWithResolvers<ReadFile>;
  /** How many callers still wait for it. */
  askers: number;
  /** It was being read when the thread ended: it is read once more, alone, to find out whether it was the cause. */
  suspect: boolean;
};

/**
 * @param options.folder where the spools are written, used by this process only; null: the system's temporary folder
 * @param options.startThread replaced in tests
 */
export function openLargeFiles(options: {
  readonly folder: string | null;
  readonly limits?: Partial<LargeFilesLimits>;
  readonly startThread?: () => ReadingThread;
}): LargeFiles {
  const limits = { ...LIMITS, ...options.limits };
  const { startThread = startReadingThread } = options;
  const spools = openSpoolFolder(options.folder, limits.allSpoolsBytes);
  const waiting = openQueueInTurn<Reading>();
  const running = new Map<number, Reading>();
  const byKey = new Map<string, Reading>();
  let thread: ReadingThread | null = null;
  let ending: NodeJS.Timeout | undefined;
  let lastId = 0;
  let closed = false;

  function startNext(): void {
    while (!closed && running.size < limits.atOnce) {
      const busy = [...running.values()];
      const next = waiting.next((one) => canStart(one, busy));
      if (next === null) return;
      start(next);
    }
  }

  function start(reading: Reading): void {
    running.set(reading.id, reading);
    clearTimeout(ending);
    thread ??= watch(startThread());
    thread.ref();
    const { id, file, settings, spoolPath } = reading;
    const asked: ToReading = { type: 'read', id, file, settings, spoolPath, mostBytes: limits.spoolBytes };
    thread.postMessage(asked);
  }

  function watch(worker: ReadingThread): ReadingThread {
    worker.on('message', (answer: FromReading) => take(answer));
    // The failure itself is not used: the thread ends, which is handled below.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      // One that was idle and ended: another may read by now.
      if (thread !== worker) return;
      thread = null;
      const interrupted = [...running.values()];
      running.clear();
      for (const reading of interrupted) interrupt(reading, interrupted.length === 1);
      startNext();
    });
    return worker;
  }

  /** The thread ended while it was reading the file. */
  function interrupt(reading: Reading, alone: boolean): void {
    void spools.discard(reading.spoolPath);
    if (closed || reading.askers === 0) settle(reading, { kind: 'pending' });
    else if (alone) {
      settle(reading, unreadableFor(reading.file, 'it ended the thread that reads'));
    } else {
      reading.summaries.length = 0;
      reading.days.length = 0;
      reading.suspect = true;
      waiting.add(reading.tenantId, reading);
    }
  }

  function take(answer: FromReading): void {
    const reading = running.get(answer.id);
    if (reading === undefined) return;
    if (answer.type === 'part') {
      for (const summary of answer.part.summaries) reading.summaries.push(summary);
      for (const ofStatement of answer.part.days) reading.days.push(ofStatement);
      return;
    }
    running.delete(answer.id);
    if (running.size === 0) endIfIdle();
    void outcomeOf(reading, answer).then((outcome) => settle(reading, outcome));
    startNext();
  }

  function endIfIdle(): void {
    thread?.unref();
    clearTimeout(ending);
    ending = setTimeout(() => {
      const idle = thread;
      thread = null;
      void idle?.terminate();
    }, limits.threadWaitsMs);
    ending.unref();
  }

  async function outcomeOf(reading: Reading, answer: Exclude<FromReading, { type: 'part' }>): Promise<ReadFile> {
    const { file, spoolPath, key, summaries, days } = reading;
    if (answer.type === 'pending') return { kind: 'pending' };
    if (answer.type === 'failed') {
      const { of, reason } = answer;
      return of === 'spool' ? noRoom(file, reason) : unreadableFor(file, reason);
    }
    if (closed || reading.askers === 0) {
      await spools.discard(spoolPath);
      return { kind: 'pending' };
    }
    try {
      return await spools.keep(key, spoolPath, outlineOf({ sha256: answer.sha256, summaries, days }, answer));
    } catch (error) {
      return noRoom(file, codeOf(error));
    }
  }

  function settle(reading: Reading, outcome: ReadFile): void {
    if (byKey.get(reading.key) === reading) byKey.delete(reading.key);
    reading.done.resolve(outcome);
  }

  /** @throws Error of the file system */
  function ask(key: string, file: StatementFile, { tenantId, settings }: Asker & { settings: FileSettings }): Reading {
    const known = byKey.get(key);
    if (known !== undefined) return known;
    lastId += 1;
    const own = { id: lastId, key, tenantId, file, settings, spoolPath: spools.newPath() };
    const reading: Reading = {
      ...own,
      summaries: [],
      days: [],
      done: Promise.withResolvers(),
      askers: 0,
      suspect: false,
    };
    byKey.set(key, reading);
    waiting.add(tenantId, reading);
    return reading;
  }

  /** Called when no caller waits for it any more. */
  function giveUp(reading: Reading): void {
    // The next request starts over.
    if (byKey.get(reading.key) === reading) byKey.delete(reading.key);
    if (!waiting.remove(reading) && running.has(reading.id)) thread?.postMessage({ type: 'give-up', id: reading.id });
  }

  return {
    isLarge: (key, { size }) => size > limits.smallBytes || spools.find(key) !== null,
    async read(key, file, asker) {
      if (file.size > limits.fileBytes) return failed(tooLarge(file, limits.fileBytes), false);
      const kept = spools.find(key);
      if (kept !== null) return kept;
      if (closed) throw givenUp();
      if (waiting.size >= limits.waiting) {
        throw new ProviderError('transient', 'STATEMENT_READING_BUSY', 'too many large files wait to be read');
      }
      let reading: Reading;
      try {
        reading = ask(key, file, asker);
      } catch (error) {
        return noRoom(file, codeOf(error));
      }
      reading.askers += 1;
      startNext();
      try {
        const outcome = await orAborted(reading.done.promise, asker.signal, givenUp);
        if (closed) throw givenUp();
        return outcome;
      } finally {
        reading.askers -= 1;
        if (reading.askers === 0) giveUp(reading);
      }
    },
    async close() {
      closed = true;
      clearTimeout(ending);
      for (let next = waiting.next(() => true); next !== null; next = waiting.next(() => true)) {
        settle(next, { kind: 'pending' });
      }
      await thread?.terminate();
      spools.close();
    },
  };
}

/** One file of each tenant at a time; a file that may have ended the thread is read alone. */
function canStart({ tenantId, suspect }: Reading, running: readonly Reading[]): boolean {
  if (running.some((one) => one.suspect)) return false;
  return suspect ? running.length === 0 : running.every((one) => one.tenantId !== tenantId);
}

function givenUp(): ProviderError {
  return new ProviderError('transient', 'PROVIDER_REQUEST_ABORTED', 'reading was cancelled');
}

function startReadingThread(): Worker {
  return startThread(new URL('./reading-thread.ts', import.meta.url), { resourceLimits: THREAD_MEMORY });
}

function failed(fault: SourceFault, passing = true): ReadFile {
  const nothing = { sha256: null, summaries: [], days: [] };
  const outline = outlineOf(nothing, { rows: 0, faults: [fault] });
  return { kind: 'read', outline, content: { statementsOf: async () => [] }, passing };
}

/** A file that the file system refuses to read. */
export function failedFile({ name }: Pick<StatementFile, 'name'>, error: unknown): ReadFile {
  return unreadableFor({ name }, codeOf(error));
}

function unreadableFor({ name }: Pick<StatementFile, 'name'>, reason: string): ReadFile {
  return failed(unreadable(name, `the file cannot be read: ${reason}`));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'an unexpected error';
}

function noRoom({ name: source }: StatementFile, reason: string): ReadFile {
  const message = `there is no room to read the file into: ${reason}`;
  return failed({ code: 'STATEMENT_SPOOL_UNAVAILABLE', message, source, place: null });
}

function tooLarge({ name: source }: StatementFile, bytes: number): SourceFault {
  const message = `the file is larger than ${bytes / 1024 / 1024} MiB`;
  return { code: 'STATEMENT_FILE_TOO_LARGE', message, source, place: null };
}
