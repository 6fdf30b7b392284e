import { hash } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LogCorrupted, LogUnavailable } from '../log.ts';
import { DICTIONARIES_TABLE, EventPacking } from './event-packing.ts';

/** Marks the file as a log of this service ("bcsl"), so that no other SQLite file is mistaken for one. */
const APPLICATION_ID = 0x6263736c;
/** Format 1 has neither packed events nor dictionaries; it becomes the present one when it is opened. */
const FORMAT = 2;
/** Events whose digests are checked at every open: enough for any transaction a crash could have torn. */
const TAIL_EVENTS = 1_000;

/** Threads that share the file take turns, so that this is a limit for what nobody foresaw. */
const BUSY_TIMEOUT_MS = 5_000;
/** An empty file beside the log, locked by the process whose threads share it. */
export const LOCK_SUFFIX = '-lock';

const BUSY = 5;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

export type Row = {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly recorded_at: number;
  readonly metadata: string;
  readonly data: string;
  readonly digest: string;
};

/** The last event's place and digest; `{ position: 0, digest: '' }` for an empty log. */
export type Head = { readonly position: number; readonly digest: string };

type Statements = {
  readonly begin: StatementSync;
  readonly commit: StatementSync;
  readonly rollback: StatementSync;
  readonly insert: StatementSync;
  /** Changes nothing when the stream has that revision already. */
  readonly insertFirst: StatementSync;
  readonly streamHead: StatementSync;
  readonly recordedAt: StatementSync;
  readonly readStream: StatementSync;
  readonly readTenant: StatementSync;
  readonly readAll: StatementSync;
  readonly head: StatementSync;
  readonly moveHead: StatementSync;
  readonly indexed: StatementSync;
  readonly lastOf: StatementSync;
  readonly newestOf: StatementSync;
};

export type LogFile = {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  readonly packing: EventPacking;
  readonly head: Head;
  readonly close: () => void;
};

/**
 * Who else may have the file open. `alone`: nobody. `first`: other threads of this process, which open it after this
 * one and close it before. `further`: one of those threads.
 */
export type LogUse = 'alone' | 'first' | 'further';

const SCHEMA = `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    category TEXT NOT NULL,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    digest TEXT NOT NULL,
    metadata TEXT NOT NULL,
    data TEXT NOT NULL,
    body BLOB
  ) STRICT;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, digest TEXT NOT NULL) STRICT;
  INSERT INTO head (one, position, digest) VALUES (1, 0, '');
  ${DICTIONARIES_TABLE}
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};
`;

const FROM_FORMAT_1 = `
  ALTER TABLE events ADD COLUMN body BLOB;
  ${DICTIONARIES_TABLE}
  PRAGMA user_version = ${FORMAT};
`;

const COLUMNS = 'position, stream, revision, id, type, recorded_at, metadata, data, body, digest';

/** The category is the beginning of the stream's name; only format 1 repeated it. */
const INSERT =
  'INSERT INTO events (position, category, stream, revision, id, type, recorded_at, digest, metadata, data, body) ' +
  `VALUES (?, '', ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/**
 * The digest of an event, given that of the event before it. Fields are separated by line ends, which none of them can
 * hold.
 */
export function chainDigest(previous: string, row: Omit<Row, 'digest'>): string {
  return hash(
    'sha256',
    `${previous}\n${row.position}\n${row.stream}\n${row.revision}\n${row.id}\n${row.type}\n${row.recorded_at}\n${row.metadata}\n${row.data}`,
    'base64',
  );
}

/** An SQLite failure as the port's error; anything else unchanged. */
export function inLogTerms(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const primary = error.errcode & 0xff;
  if (primary === CORRUPT || primary === NOT_A_DATABASE) {
    return new LogCorrupted(`the log file is damaged: ${error.message}`);
  }
  if (primary === BUSY) return new LogUnavailable('the log file is in use by another process', { cause: error });
  return new LogUnavailable(`the log file cannot be accessed: ${error.message}`, { cause: error });
}

/**
 * Opens the file for this process only; the operating system releases it when the process ends. @throws LogUnavailable
 * when another process has it open, LogCorrupted when its end is torn or altered, or it is not a log
 */
export function openLogFile(file: string, use: LogUse = 'alone'): LogFile {
  let lock: DatabaseSync | undefined;
  let db: DatabaseSync | undefined;
  const close = (): void => {
    db?.close();
    lock?.close();
  };
  try {
    if (use === 'first') lock = lockForProcess(file);
    db = new DatabaseSync(file, { timeout: use === 'further' ? BUSY_TIMEOUT_MS : 0 });
    // In this order: an exclusive lock taken before the first access to the WAL needs no shared-memory file and does
    // not survive a crash.
    if (use === 'alone') db.exec('PRAGMA locking_mode = EXCLUSIVE;');
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    db.exec('PRAGMA cache_size = -4096; PRAGMA temp_store = MEMORY;');
    if (use !== 'further') {
      db.exec('BEGIN EXCLUSIVE');
      createOrCheckFormat(db);
      db.exec('COMMIT');
    }
    const statements = prepare(db);
    const packing = new EventPacking(db);
    const head = statements.head.get() as unknown as Head;
    if (use !== 'further') checkTail(statements, packing, head);
    if (use === 'first') db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return { db, statements, packing, head, close };
  } catch (error) {
    close();
    throw inLogTerms(error);
  }
}

/**
 * Prevents another process from sharing the file: an exclusive lock on the file itself would keep out the threads of
 * this process as well. Whoever opens the file alone finds it in use without this.
 */
function lockForProcess(file: string): DatabaseSync {
  const lock = new DatabaseSync(`${file}${LOCK_SUFFIX}`, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE;');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

function createOrCheckFormat(db: DatabaseSync): void {
  const tables = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n;
  if (tables === 0) {
    db.exec(SCHEMA);
    return;
  }
  const application = db.prepare('PRAGMA application_id').get()?.application_id;
  const format = db.prepare('PRAGMA user_version').get()?.user_version;
  if (application !== APPLICATION_ID) throw new LogCorrupted('the file is not a log of this service');
  if (format === 1) db.exec(FROM_FORMAT_1);
  else if (format !== FORMAT) throw new LogCorrupted(`the log file has format ${format}, this version reads ${FORMAT}`);
}

function prepare(db: DatabaseSync): Statements {
  return {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    insert: db.prepare(INSERT),
    insertFirst: db.prepare(`${INSERT} ON CONFLICT (stream, revision) DO NOTHING`),
    streamHead: db.prepare('SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1'),
    recordedAt: db.prepare('SELECT id, position FROM events WHERE stream = ? AND revision = ?'),
    readStream: db.prepare(
      `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`,
    ),
    readAll: db.prepare(`SELECT ${COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT ?`),
    readTenant: db.prepare(
      `SELECT ${COLUMNS} FROM events WHERE position > ? AND position <= ? AND instr(stream, ?) > 0 ORDER BY position LIMIT ?`,
    ),
    head: db.prepare('SELECT position, digest FROM head'),
    moveHead: db.prepare('UPDATE head SET position = ?, digest = ?'),
    indexed: db.prepare('SELECT position FROM events INDEXED BY events_by_stream WHERE stream = ? AND revision = ?'),
    lastOf: db.prepare('SELECT max(position) AS position FROM events'),
    newestOf: db.prepare(
      `SELECT substr(stream, 1, instr(stream, '_') - 1) AS owner, max(position) AS position
       FROM events WHERE position > ? AND position <= ? GROUP BY owner`,
    ),
  };
}

function checkTail(statements: Statements, packing: EventPacking, head: Head): void {
  const read = (after: number, limit: number): Row[] => statements.readAll.all(after, limit) as unknown as Row[];
  const last = (statements.lastOf.get() as { position: number | null } | undefined)?.position ?? 0;
  if (head === undefined || last !== head.position) {
    throw new LogCorrupted(`the log ends at ${last}, but ${head?.position} was its last acknowledged position`);
  }
  const from = Math.max(0, head.position - TAIL_EVENTS);
  let before: Head = { position: 0, digest: '' };
  if (from > 0) {
    const [row] = read(from - 1, 1);
    before = { position: row?.position ?? 0, digest: row?.digest ?? '' };
    if (before.position !== from) throw new LogCorrupted(`the event at position ${from} is missing`);
  }
  const end = checkChain(before, packing.eachUnpacked(read(from, TAIL_EVENTS)));
  if (end.digest !== head.digest) throw new LogCorrupted(`the last event, at position ${head.position}, was altered`);
}

/**
 * Checks the rows that follow `before` and returns the chain's new end. @throws LogCorrupted naming the first bad
 * position
 */
export function checkChain(before: Head, rows: Iterable<Row>): Head {
  let { position, digest } = before;
  for (const row of rows) {
    if (row.position !== position + 1) throw new LogCorrupted(`the event at position ${position + 1} is missing`);
    digest = chainDigest(digest, row);
    position = row.position;
    if (digest !== row.digest) throw new LogCorrupted(`the event at position ${position} was altered`);
  }
  return { position, digest };
}
