import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type Answer, toldFailure } from './asked-thread.ts';
import { openReader } from './database.ts';
import { unavailable } from './sqlite-errors.ts';
import { Statements } from './statements.ts';
import type { ToReader } from './threaded-reader.ts';

/** The thread that looks through large tables, which takes its time here and not in the service's event loop. */
const port = parentPort;
if (port === null) throw new Error('this is the body of a thread');

type Open = { readonly database: DatabaseSync; readonly statements: Statements };

const { file } = workerData as { readonly file: string };
const present = open();
const views = new Map<number, Open>();

port.on('message', (message: ToReader) => {
  switch (message.type) {
    case 'read':
      port.postMessage(answerTo(message));
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

function answerTo({ id, view, sql }: Extract<ToReader, { type: 'read' }>): Answer {
  try {
    const { statements } = view === undefined ? present : viewOf(view);
    const rows = statements.get(sql.text).all(...sql.values);
    return { id, value: rows.map((row) => row.doc ?? row.matches) };
  } catch (error) {
    return { id, ...toldFailure(unavailable(error)) };
  }
}

function open(): Open {
  const database = openReader(file);
  return { database, statements: new Statements(database) };
}

/** As everything stood when it was first read from. */
function viewOf(number: number): Open {
  let view = views.get(number);
  if (view === undefined) {
    view = open();
    view.database.exec('BEGIN');
    views.set(number, view);
  }
  return view;
}
