import { parentPort, workerData } from 'node:worker_threads';
import { openEmbeddedLog } from '../../../src/log/embedded/embedded-log.ts';
import type { LogMemory } from '../../../src/log/embedded/log-sharing.ts';
import type { LogBatch, SubscribeOptions } from '../../../src/log/log.ts';
import { codec, oldCodec } from '../../log/fixtures.ts';
import { answerOf, type ToCalled } from './called-thread.ts';

// The second thread of a log that two threads have open.
const { file, memory, old } = workerData as { file: string; memory: LogMemory; old: boolean };
const log = openEmbeddedLog({ file, codec: old ? oldCodec : codec, shared: { memory, first: false } });
const subscriptions = new Map<number, { own: AbortController; batches: AsyncIterator<LogBatch> }>();

const further = {
  subscribe: async (number: number, options: Omit<SubscribeOptions, 'signal'>) => {
    const own = new AbortController();
    const batches = log.subscribe({ ...options, signal: own.signal })[Symbol.asyncIterator]();
    subscriptions.set(number, { own, batches });
  },
  next: async (number: number) => {
    const result = await subscriptions.get(number)?.batches.next();
    return result === undefined || result.done === true ? null : result.value;
  },
  abort: async (number: number) => subscriptions.get(number)?.own.abort(),
};

parentPort?.on('message', ({ id, method, args }: ToCalled) => {
  const called = { ...further, ...bound() } as unknown as Record<
    string,
    (...of: readonly unknown[]) => Promise<unknown>
  >;
  void answerOf(
    id,
    Promise.resolve().then(() => called[method]?.(...args)),
  ).then((answer) => parentPort?.postMessage(answer));
});

function bound() {
  return {
    append: log.append.bind(log),
    appendMany: log.appendMany.bind(log),
    appendManyUnless: log.appendManyUnless.bind(log),
    readStream: log.readStream.bind(log),
    readStreamPositions: log.readStreamPositions.bind(log),
    readAll: log.readAll.bind(log),
    head: log.head.bind(log),
    end: log.end.bind(log),
    remainder: log.remainder.bind(log),
    ping: log.ping.bind(log),
    close: log.close.bind(log),
  };
}
