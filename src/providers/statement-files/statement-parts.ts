import type { Reading, Statement, StatementFault, StatementRow } from './statement.ts';

/**
 * What a reader yields of a file: the rows of a statement in the order of the file, then the statement that closes
 * them, or a fault in its place, with which those rows are dropped. A file's rows may be more than memory holds.
 */
export type StatementPart =
  | { readonly kind: 'row'; readonly row: StatementRow }
  | { readonly kind: 'statement'; readonly statement: Omit<Statement, 'rows'> }
  | { readonly kind: 'fault'; readonly fault: StatementFault };

/**
 * Reads one format from the decoded text of a file, which comes in pieces of any length. It keeps no more of the text
 * than one row and what closes a statement needs.
 * @throws StatementFault for a file of which nothing more can be read; what was yielded before it stays
 */
export type StatementReader = (text: AsyncIterable<string>) => AsyncIterable<StatementPart>;

/** The statements of a file that is small enough for memory. @throws StatementFault as the reader does */
export async function collectStatements(parts: AsyncIterable<StatementPart>): Promise<Reading> {
  const statements: Statement[] = [];
  const faults: StatementFault[] = [];
  let rows: StatementRow[] = [];
  for await (const part of parts) {
    if (part.kind === 'row') {
      rows.push(part.row);
      continue;
    }
    if (part.kind === 'statement') statements.push({ ...part.statement, rows });
    else faults.push(part.fault);
    rows = [];
  }
  return { statements, faults };
}
