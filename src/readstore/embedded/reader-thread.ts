import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type Answer, reportedFailure } from './asked-thread.ts';
import { openReader } from './database.ts';
import { unavailable } from './sqlite-errors.ts';
import { Statements } from './statements.ts';
import type { ToReader } from './threaded-reader.ts';

/** The thread that scans large tables, so that this does not block the service's event loop. */
const port = parentPort;
if (port === null) throw new Error('this is the body of a thread');

/** In characters. */
const PART_LENGTH = 256 * 1024;

type Open = { readonly database: DatabaseSync; readonly statements: Statements };

const { file } = workerData as { readonly file: string };
const present = open();
const views = new Map<number, Open>();

port.on('message', (message: ToReader) => {
  switch (message.type) {
    case 'read':
      answer(message);
      return;
    case 'release':
      views.get(message.view)?.database.close();
      views.delete(message.view);
      return;
    default:
      for (const { database } of [present, ...views.values()]) database.close();
      port.close();
  }
});

function reply(answer: Answer): void {
  port?.postMessage(answer);
}

/** In parts, so that the thread never holds more than one of them, however large the documents are. */
function answer({ id, view, sql }: Extract<ToReader, { type: 'read' }>): void {
  try {
    const { statements } = view === undefined ? present : viewOf(view);
    let part: unknown[] = [];
    let length = 0;
    for (const row of statements.get(sql.text).iterate(...sql.values)) {
      const value = row.doc === undefined ? row.matches : statements.packing.textOf(row.doc);
      part.push(value);
      length += typeof value === 'string' ? value.length : 0;
      if (length < PART_LENGTH) continue;
      reply({ id, part });
      part = [];
      length = 0;
    }
    reply({ id, value: part });
  } catch (error) {
    reply({ id, ...reportedFailure(unavailable(error)) });
  }
}

function open(): Open {
  const database = openReader(file);
  return { database, statements: new Statements(database) };
}

/** The state at its first read. */
function viewOf(number: number): Open {
  let view = views.get(number);
  if (view === undefined) {
    view = open();
    view.database.exec('BEGIN');
    views.set(number, view);
  }
  return view;
}
