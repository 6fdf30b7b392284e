import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { toUnits } from '../../shared/money.ts';
import type { PlacedRow } from './booked-rows.ts';
import { type Booked, type KindCounts, openBooking } from './booking.ts';
import type { Filed, RowDraft } from './filing.ts';
import { createSpoolFile, DRAFT_ROWS, decodedRow, encodedRow, type KeptStatement, pathOf } from './spool-tables.ts';
import { type Statement, StatementFault, type StatementRow } from './statement.ts';
import { isBookedElsewhere, settledRow } from './statement-parts.ts';

/** The most kinds of a day counted in memory; further ones are counted on disk. */
const KINDS_IN_MEMORY = 20_000;
/** Rows sorted before other readings may continue. */
const AT_ONCE = 5_000;

export type SpoolDraft = RowDraft & { readonly keep: (filed: Filed<SpoolDraft>) => void };

export type SpoolWriter = {
  readonly openDraft: () => SpoolDraft;
  /** Makes the spool readable. */
  readonly finish: () => void;
  readonly close: () => void;
};

/**
 * Writes the content of a file into a spool, in one transaction. Rows in the order of their days, as nearly every bank
 * lists them, are booked as they are read; those of a statement in another order are sorted when it closes.
 * @param mostBytes the largest size of the spool
 */
export function openSpoolWriter(path: string, mostBytes: number): SpoolWriter {
  const database = createSpoolFile(path, mostBytes);
  const tables = tablesOf(database);
  let drafts = 0;
  database.exec('BEGIN');
  return {
    openDraft: () => openDraft(tables, () => ++drafts),
    finish() {
      database.exec('COMMIT');
      database.close();
    },
    close() {
      if (database.isOpen) database.close();
    },
  };
}

function tablesOf(database: DatabaseSync) {
  const field = (name: Parameters<typeof pathOf>[0]): string => `json_extract(body, '${pathOf(name)}')`;
  const elsewhere = `NOT ${field('settled')} AND (${field('day')} < :first OR ${field('day')} > :last)`;
  return {
    add: database.prepare('INSERT INTO rows (id, moved, nth, body) VALUES (?, ?, ?, ?)'),
    drop: database.prepare('DELETE FROM rows WHERE id >= ? AND id < ?'),
    inOrder: database.prepare(`SELECT body FROM rows WHERE id >= :from AND id < :to
      ORDER BY CASE WHEN ${elsewhere} THEN :last ELSE ${field('day')} END,
        CASE WHEN ${elsewhere} THEN :last || 'T00:00:00.000Z' ELSE ${field('transactionDate')} END, id`),
    keepTwin: database.prepare('INSERT INTO twins (draft, day, kind, count) VALUES (?, ?, ?, ?)'),
    keepTwins: database.prepare(
      'INSERT INTO twins SELECT draft, ?, kind, count FROM kinds WHERE draft = ? AND count > 1',
    ),
    dropTwins: database.prepare('DELETE FROM twins WHERE draft = ?'),
    countKind: database.prepare(`INSERT INTO kinds (draft, kind, count) VALUES (?, ?, 1)
      ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count`),
    dropKinds: database.prepare('DELETE FROM kinds WHERE draft = ?'),
    keepStatement: database.prepare('INSERT INTO statements (number, account, body) VALUES (?, ?, ?)'),
  };
}

type Tables = ReturnType<typeof tablesOf>;

function openDraft(tables: Tables, nextNumber: () => number): SpoolDraft {
  let number = nextNumber();
  let kinds = countKindsOf(tables, number);
  let booking = openBooking(kinds.counts);
  let [count, inOrder, unsettled] = [0, true, false];
  let [earliest, latest] = ['9999', ''];

  function dropRows(): void {
    tables.drop.run(number * DRAFT_ROWS, (number + 1) * DRAFT_ROWS);
    kinds.drop();
  }

  function insert(text: string, place: PlacedRow | null): void {
    if (count === DRAFT_ROWS)
      throw new StatementFault('the statement has too many rows', null, 'STATEMENT_FILE_TOO_LARGE');
    tables.add.run(number * DRAFT_ROWS + count, place === null ? '0' : place.moved.toString(), place?.nth ?? 0, text);
    count += 1;
  }

  /** Null once a row was out of order: all of them are booked when the statement closes. */
  function bookedAtOnce(row: StatementRow): PlacedRow | null {
    inOrder &&= booking.isInOrder(row);
    try {
      return inOrder ? booking.add(row) : null;
    } catch (error) {
      if (!(error instanceof StatementFault)) throw error;
      inOrder = false;
      return null;
    }
  }

  /** Copies the rows in sorted order under another draft number, and drops the unsorted ones. */
  async function sort(statement: Omit<Statement, 'rows'>): Promise<void> {
    const came = number * DRAFT_ROWS;
    const span = { from: came, to: came + count };
    const { opening, closing } = statement;
    const [first, last] = opening === null || closing === null ? ['', '9999'] : [opening.day, closing.day];
    kinds.drop();
    number = nextNumber();
    kinds = countKindsOf(tables, number);
    booking = openBooking(kinds.counts);
    count = 0;
    for (const { body } of tables.inOrder.iterate({ ...span, first, last })) {
      const { row: came, settled } = decodedRow(String(body));
      const row = settled ? came : settledRow(came, statement);
      insert(encodedRow(row, true), booking.add(row));
      if (count % AT_ONCE === 0) await setImmediate();
    }
    tables.drop.run(span.from, span.to);
  }

  return {
    add({ row, settled = true }) {
      if (!settled) {
        unsettled = true;
        if (row.day < earliest) earliest = row.day;
        if (row.day > latest) latest = row.day;
      }
      insert(encodedRow(row, settled), bookedAtOnce(row));
    },
    async book(statement): Promise<Booked> {
      const isElsewhere = (day: string): boolean => isBookedElsewhere({ day }, statement);
      if (!inOrder || (unsettled && (isElsewhere(earliest) || isElsewhere(latest)))) await sort(statement);
      return booking.close(statement);
    },
    drop: dropRows,
    keep({ index, accountKey, format, notes, stated, runs, booked, summary }) {
      const kept: KeptStatement = {
        index,
        accountKey,
        format,
        notes,
        stated,
        runs,
        draft: number,
        start: booked.start === null ? null : toUnits(booked.start).toString(),
        currency: summary.account.currency,
        hasTwins: kinds.hasTwins(),
      };
      tables.keepStatement.run(index, accountKey, JSON.stringify(kept));
    },
  };
}

/** A day may have more kinds of rows than memory should hold. */
function countKindsOf(tables: Tables, draft: number) {
  let ofDay = new Map<string, number>();
  let [onDisk, anyTwins] = [false, false];
  const counts: KindCounts = {
    take(kind) {
      const before = ofDay.get(kind);
      if (before !== undefined || ofDay.size < KINDS_IN_MEMORY) {
        ofDay.set(kind, (before ?? 0) + 1);
        return before ?? 0;
      }
      onDisk = true;
      return Number(tables.countKind.get(draft, kind)?.count) - 1;
    },
    endDay(day) {
      let twins = 0;
      for (const [kind, count] of ofDay) {
        if (count === 1) continue;
        tables.keepTwin.run(draft, day, kind, count);
        twins += 1;
      }
      if (onDisk) {
        twins += Number(tables.keepTwins.run(day, draft).changes);
        tables.dropKinds.run(draft);
      }
      ofDay = new Map();
      onDisk = false;
      anyTwins ||= twins > 0;
      return twins > 0;
    },
  };
  return {
    counts,
    hasTwins: () => anyTwins,
    drop() {
      tables.dropTwins.run(draft);
      tables.dropKinds.run(draft);
    },
  };
}
