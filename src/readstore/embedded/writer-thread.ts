import { existsSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { type Answer, reportedFailure } from './asked-thread.ts';
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

/** Of a large commit, which changes pages all over the indexes. */
const CACHE_KB = 4_096;

const { file } = workerData as { readonly file: string };
// Opening would create an empty file beside the one that the service has open.
if (!existsSync(file)) throw new Error(`${file} was deleted`);
const database = openDatabase(file, CACHE_KB);
const queue = new WriteQueue(database, new Statements(database), keepLogSmall(database, file, BUSY_TIMEOUT_MS));
const layouts = new Map<number, TableLayout>();
const reply = (answer: Answer): void => port.postMessage(answer);

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'layout':
      layouts.set(message.number, message.layout);
      return;
    case 'write': {
      const layout = message.layout === undefined ? {} : { layout: layouts.get(message.layout) };
      queue.write(message.kind, { ...message.of, ...layout } as never).then(
        (value) => reply({ id: message.id, value }),
        (error: unknown) => reply({ id: message.id, ...reportedFailure(error) }),
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
