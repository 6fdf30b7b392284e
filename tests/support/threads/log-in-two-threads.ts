import type { EventCodec } from '../../../src/events/event.ts';
import { EventSchemaError } from '../../../src/events/event.ts';
import { openEmbeddedLog } from '../../../src/log/embedded/embedded-log.ts';
import { newLogMemory } from '../../../src/log/embedded/log-sharing.ts';
import { AppendTooLarge, type EventLog, type LogBatch, LogCorrupted, LogUnavailable } from '../../../src/log/log.ts';
import { oldCodec } from '../../log/fixtures.ts';
import { startCalledThread } from './called-thread.ts';

const ERRORS = [EventSchemaError, AppendTooLarge, LogUnavailable, LogCorrupted, RangeError];

/** One log that two threads have open: of each method, every other call is made in the other thread. */
export function openLogInTwoThreads(file: string, codec: EventCodec): EventLog {
  const memory = newLogMemory();
  const here = openEmbeddedLog({ file, codec, shared: { memory, first: true } });
  const body = new URL('./log-thread.ts', import.meta.url);
  const thread = startCalledThread(body, { file, memory, old: codec === oldCodec }, ERRORS);
  const turns = new Map<string, number>();
  let closing: Promise<void> | undefined;
  let lastSubscription = 0;

  function there<Value>(method: string, ...args: readonly unknown[]): Promise<Value> {
    return thread.call({ target: [], method, args });
  }

  function isThere(method: string): boolean {
    const turn = turns.get(method) ?? 0;
    turns.set(method, turn + 1);
    return closing === undefined && turn % 2 === 0;
  }

  function alternating<Args extends readonly unknown[], Value>(
    method: string,
    local: (...args: Args) => Promise<Value>,
  ) {
    return (...args: Args): Promise<Value> => (isThere(method) ? there<Value>(method, ...args) : local(...args));
  }

  async function end(): Promise<void> {
    await thread.call({ target: [], method: 'close', args: [] });
    await here.close();
    await thread.end();
  }

  return {
    append: alternating('append', (append) => here.append(append)),
    appendMany: alternating('appendMany', (appends) => here.appendMany(appends)),
    appendManyUnless: alternating('appendManyUnless', (appends, changed) => here.appendManyUnless(appends, changed)),
    readStream: alternating('readStream', (stream, options) => here.readStream(stream, options)),
    readStreamPositions: alternating('readStreamPositions', (stream, options) =>
      here.readStreamPositions(stream, options),
    ),
    readAll: alternating('readAll', (options) => here.readAll(options)),
    head: alternating('head', () => here.head()),
    end: alternating('end', () => here.end()),
    remainder: alternating('remainder', (after) => here.remainder(after)),
    ping: alternating('ping', () => here.ping()),
    async *subscribe(options) {
      if (!isThere('subscribe')) {
        yield* here.subscribe(options);
        return;
      }
      lastSubscription += 1;
      const number = lastSubscription;
      const { signal, ...rest } = options;
      await there('subscribe', number, rest);
      const abort = (): void => void there('abort', number);
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
      try {
        for (;;) {
          const batch = await there<LogBatch | null>('next', number);
          if (batch === null) return;
          yield batch;
        }
      } finally {
        signal.removeEventListener('abort', abort);
        abort();
      }
    },
    close() {
      closing ??= end();
      return closing;
    },
  };
}
