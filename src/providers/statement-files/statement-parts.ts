import type { Reading, Statement, StatementFault, StatementRow } from './statement.ts';

/**
 * What a reader yields of a file: the rows of a statement in the order of the file, then the statement that closes
 * them, or instead a fault, which drops those rows. A file may have more rows than memory can hold.
 */
export type StatementPart =
  | RowPart
  | {
      readonly kind: 'statement';
      readonly statement: Omit<Statement, 'rows'>;
      /** Closes the rows with the same `of`. */
      readonly of?: string;
    }
  /** Drops all rows that no statement has closed. */
  | { readonly kind: 'fault'; readonly fault: StatementFault };

export type RowPart = {
  readonly kind: 'row';
  readonly row: StatementRow;
  /** Which statement it belongs to, if rows of several alternate (camt.053: currencies); '' by default. */
  readonly of?: string;
  /** False for a row that states only a value date, which is its `day` until its statement closes: see `settledRow`. */
  readonly settled?: false;
};

/**
 * Reads one format from the decoded text of a file, which arrives in pieces of any length. Keeps no more of the text
 * than one row and what is needed to close a statement.
 * @throws StatementFault when nothing more of the file can be read; what was yielded before that remains valid
 */
export type StatementReader = (text: AsyncIterable<string>) => AsyncIterable<StatementPart>;

type Span = Pick<Statement, 'opening' | 'closing'>;

/**
 * Whether a row that states only a value date is booked on another day, since that date is outside the statement's
 * days.
 */
export function isBookedElsewhere({ day }: Pick<StatementRow, 'day'>, { opening, closing }: Span): boolean {
  return opening !== null && closing !== null && (day < opening.day || day > closing.day);
}

/**
 * A row without an entry date is booked on its value date. For quarterly costs or a future payment, that date is
 * outside the statement's days; the row was then booked on the statement's closing day.
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
