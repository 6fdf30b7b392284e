import { constants, setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Streams } from '../audit/page-as-of.ts';
import type { RecordedEvent } from '../events/event.ts';
import { openTransactionFile, type TransactionFile } from '../http/routes/transactions/transaction-file.ts';
import { connections } from '../projections/connections.ts';
import { openReadModels } from '../projections/engine/read-models.ts';
import { transactionDays } from '../projections/transaction-days.ts';
import { transactions } from '../projections/transactions.ts';
import { openReadingStore } from '../readstore/embedded/reading-store.ts';
import type { AskedStream, FromExports, ToExports } from './export-messages.ts';

// The thread that makes exports of transactions (ADR 0056). It loads no schemas, and opens no log.
if (parentPort === null) throw new Error('this is the body of a thread');
const port: MessagePort = parentPort;
const { file, rowsAPart } = workerData as { readonly file: string; readonly rowsAPart: number };

// Where processors are few, whoever waits for a short answer comes first. On Linux it is that of the thread alone.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

type Events = readonly (readonly RecordedEvent[])[];

const readStore = openReadingStore(file);
const readModels = openReadModels({ readStore, projections: [transactions, transactionDays, connections] });
const files = new Map<number, Promise<TransactionFile>>();
const asked = new Map<number, PromiseWithResolvers<Events>>();
let lastAsked = 0;

port.on('message', (message: ToExports) => {
  switch (message.type) {
    case 'open': {
      const { id, question } = message;
      const opened = readModels.then((models) =>
        openTransactionFile({ log: streamsFor(id), readModels: models, rowsAPart }, question),
      );
      // It is thrown where the first part is made.
      opened.catch(() => {});
      files.set(id, opened);
      return;
    }
    case 'next':
      void make(message.id);
      return;
    case 'close':
      files.get(message.id)?.then(
        (one) => one.close(),
        () => {},
      );
      files.delete(message.id);
      return;
    case 'events':
      settle(message.asked)?.resolve(message.streams);
      return;
    case 'noEvents':
      settle(message.asked)?.reject(new Error(message.error));
      return;
    default:
      void readStore.close().then(() => port.close());
  }
});

async function make(id: number): Promise<void> {
  try {
    const part = await (await files.get(id))?.next();
    if (part !== undefined && files.has(id)) post({ type: 'part', id, part }, [part.bytes.buffer]);
  } catch (error) {
    // One that was closed meanwhile has failed because of that, and nobody waits for it.
    if (files.has(id)) post({ type: 'failed', id, error: error instanceof Error ? error.message : String(error) });
  }
}

function post(message: FromExports, transferred: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, [...transferred]);
}

function settle(number: number): PromiseWithResolvers<Events> | undefined {
  const waiting = asked.get(number);
  asked.delete(number);
  return waiting;
}

/** The log as the thread that answers reads it. What is asked for at once becomes one message. */
function streamsFor(id: number): Streams {
  let wanted: AskedStream[] = [];
  let answer: Promise<Events> | undefined;

  function ask(): Promise<Events> {
    const waiting = Promise.withResolvers<Events>();
    queueMicrotask(() => {
      lastAsked += 1;
      asked.set(lastAsked, waiting);
      post({ type: 'streams', id, asked: lastAsked, streams: wanted });
      wanted = [];
      answer = undefined;
    });
    return waiting.promise;
  }

  return {
    async readStreamPositions(stream, { fromRevision = 0 } = {}) {
      const nth = wanted.push({ stream, fromRevision }) - 1;
      answer ??= ask();
      return [...((await answer)[nth] ?? [])];
    },
  };
}
