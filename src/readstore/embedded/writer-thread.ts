import { parentPort, workerData } from 'node:worker_threads';
import { type Answer, failureAnswer } from './asked-thread.ts';
import { BUSY_TIMEOUT_MS, openDatabase } from './database.ts';
import { Statements } from './statements.ts';
import type { TableLayout } from './table-layout.ts';
import type { ToThread } from './threaded-writer.ts';
import { keepLogSmall } from './write-ahead-log.ts';
import { WriteQueue } from './write-queue.ts';

/**
 * The thread that writes an embedded read store, so that syncs and large commits do not block the service's event loop.
 */
const port = parentPort;
if (port === null) throw new Error('this is the body of a thread');

const { file } = workerData as { readonly file: string };
const database = openDatabase(file);
const queue = new WriteQueue(database, new Statements(database), keepLogSmall(database, file, BUSY_TIMEOUT_MS));
const layouts = new Map<number, TableLayout>();
const send = (answer: Answer): void => port.postMessage(answer);

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'layout':
      layouts.set(message.number, message.layout);
      return;
    case 'write': {
      const layout = message.layout === undefined ? {} : { layout: layouts.get(message.layout) };
      queue.write(message.kind, { ...message.of, ...layout } as never).then(
        (value) => send({ id: message.id, value }),
        (error: unknown) => send({ id: message.id, ...failureAnswer(error) }),
      );
      return;
    }
    default:
      void queue.close().then(() => {
        database.close();
        port.close();
      });
  }
});
