import type { Reading, Statement, StatementFault, StatementRow } from './statement.ts';

/**
 * What a reader yields of a file: the rows of a statement in the order of the file, then the statement that closes
 * them, or a fault in its place, with which those rows are dropped. A file's rows may be more than memory holds.
 */
export type StatementPart =
  | RowPart
  | {
      readonly kind: 'statement';
      readonly statement: Omit<Statement, 'rows'>;
      /** Closes the rows with the same `of`. */
      readonly of?: string;
    }
  /** Drops all rows that no statement closed. */
  | { readonly kind: 'fault'; readonly fault: StatementFault };

export type RowPart = {
  readonly kind: 'row';
  readonly row: StatementRow;
  /** Where rows of several statements alternate (camt.053: currencies), whose it is; '' unless given. */
  readonly of?: string;
  /**
   * False for a row that states a value date only, which `row.day` is until its statement closes: see `settledRow`.
   */
  readonly settled?: false;
};

/**
 * Reads one format from the decoded text of a file, which comes in pieces of any length. It keeps no more of the text
 * than one row and what closes a statement needs.
 * @throws StatementFault for a file of which nothing more can be read; what was yielded before it stays
 */
export type StatementReader = (text: AsyncIterable<string>) => AsyncIterable<StatementPart>;

type Span = Pick<Statement, 'opening' | 'closing'>;

/** Whether a row that states a value date only is booked on another day: one of the statement's. */
export function isBookedElsewhere({ day }: Pick<StatementRow, 'day'>, { opening, closing }: Span): boolean {
  return opening !== null && closing !== null && (day < opening.day || day > closing.day);
}

/**
 * A row that states no entry date is booked on its value date. For costs of a quarter or a payment to come that lies
 * outside of the statement's days; then it was booked when the statement was made.
 */
export function settledRow(row: StatementRow, span: Span): StatementRow {
  if (!isBookedElsewhere(row, span) || span.closing === null) return row;
  const { day } = span.closing;
  return { ...row, day, formerDay: row.day, transactionDate: `${day}T00:00:00.000Z` };
}

/** The statements of a file that is small enough for memory. @throws StatementFault as the reader does */
export async function collectStatements(parts: AsyncIterable<StatementPart>): Promise<Reading> {
  const statements: Statement[] = [];
  const faults: StatementFault[] = [];
  const open = new Map<string, RowPart[]>();
  for await (const part of parts) {
    if (part.kind === 'fault') {
      faults.push(part.fault);
      open.clear();
      continue;
    }
    const of = part.of ?? '';
    const rows = open.get(of) ?? [];
    if (part.kind === 'row') {
      rows.push(part);
      open.set(of, rows);
      continue;
    }
    const { statement } = part;
    open.delete(of);
    const settled = rows.map(({ row, settled: isSettled = true }) => (isSettled ? row : settledRow(row, statement)));
    statements.push({ ...statement, rows: settled });
  }
  return { statements, faults };
}
