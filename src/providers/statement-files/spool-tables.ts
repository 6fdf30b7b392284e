import { DatabaseSync } from 'node:sqlite';
import type { PlacedRow } from './booked-rows.ts';
import type { FiledStatement } from './file-content.ts';
import type { StatementRow } from './statement.ts';

/**
 * The spool of one large file: its rows in booked order, and its statements. A row's id is the number of its draft
 * times `DRAFT_ROWS` plus its number in the statement, so that the rows of each statement are consecutive however they
 * alternate in the file.
 */
const SCHEMA = `
  CREATE TABLE rows (id INTEGER PRIMARY KEY, moved TEXT NOT NULL, nth INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE TABLE twins (draft INTEGER, day TEXT, kind TEXT, count INTEGER, PRIMARY KEY (draft, day, kind)) WITHOUT ROWID;
  CREATE TABLE kinds (draft INTEGER, kind TEXT, count INTEGER, PRIMARY KEY (draft, kind)) WITHOUT ROWID;
  CREATE TABLE statements (number INTEGER PRIMARY KEY, account TEXT NOT NULL, body TEXT NOT NULL);
  CREATE INDEX statements_by_account ON statements (account, number);
`;

/** More rows than 1 GiB can hold. */
export const DRAFT_ROWS = 2 ** 26;
const CACHE_KIBIBYTES = 1_024;

/** The spool does not outlive the process: after a crash it is removed, and the file is read again. */
export function createSpoolFile(path: string, mostBytes: number): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA cache_size = -${CACHE_KIBIBYTES}; PRAGMA temp_store = FILE; ${SCHEMA}`);
  const size = Number(database.prepare('PRAGMA page_size').get()?.page_size);
  database.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(mostBytes / size))}`);
  return database;
}

export function openSpoolFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}`);
  return database;
}

/** A statement as it is kept. `start`: in units, null when no balance is stated. */
export type KeptStatement = Omit<FiledStatement, 'rows'> & {
  readonly draft: number;
  readonly start: string | null;
  readonly currency: string;
  readonly hasTwins: boolean;
};

/** The index of each field in the stored list of a row. */
const PLACES: Readonly<Record<keyof StatementRow | 'settled', number>> = {
  reference: 0,
  transactionDate: 1,
  day: 2,
  formerDay: 3,
  amount: 4,
  incoming: 5,
  description: 6,
  nameSurname: 7,
  iban: 8,
  idNo: 9,
  code: 10,
  findAI: 11,
  references: 12,
  settled: 13,
};
const { settled: SETTLED, ...OF_ROW } = PLACES;
const FIELDS = Object.keys(OF_ROW) as (keyof StatementRow)[];

/** An array is half as long as an object with its names. Its last item says whether the booking day is settled. */
export function encodedRow(row: StatementRow, settled: boolean): string {
  return JSON.stringify([...FIELDS.map((field) => row[field]), settled]);
}

export function decodedRow(body: string): { row: StatementRow; settled: boolean } {
  const values: unknown[] = JSON.parse(body);
  const row = Object.fromEntries(FIELDS.map((field, index) => [field, values[index]]));
  return { row: row as unknown as StatementRow, settled: values[SETTLED] === true };
}

/** The JSON path of a field, for SQL. */
export function pathOf(field: keyof typeof PLACES): string {
  return `$[${PLACES[field]}]`;
}

export function placedRow({ moved, nth, body }: Record<string, unknown>): PlacedRow {
  return { row: decodedRow(String(body)).row, moved: BigInt(String(moved)), nth: Number(nth) };
}
