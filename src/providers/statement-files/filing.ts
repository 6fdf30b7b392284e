import { add, MoneyError } from '../../shared/money.ts';
import type { SourceFault } from '../bank-provider.ts';
import { type Booked, MOST_DAYS } from './booking.ts';
import type { DayOutline } from './day-outlines.ts';
import type { ClosingSummary, FiledStatement } from './file-content.ts';
import type { FileSettings } from './file-settings.ts';
import { type Statement, StatementFault } from './statement.ts';
import type { RowPart, StatementPart } from './statement-parts.ts';

/** The rows of a statement that is being read, wherever they are stored. */
export type RowDraft = {
  readonly add: (part: RowPart) => void;
  /**
   * The rows in booked order.
   * @throws StatementFault when the statement cannot be imported; its rows are then dropped
   */
  readonly book: (statement: Omit<Statement, 'rows'>) => Promise<Booked>;
  readonly drop: () => void;
};

/** A statement whose balances were verified, with the draft that holds its rows. */
export type Filed<Draft extends RowDraft> = Omit<FiledStatement, 'rows'> & {
  readonly draft: Draft;
  readonly booked: Booked;
  readonly summary: ClosingSummary;
  readonly days: readonly DayOutline[];
};

/** What reading a file yields besides the statements: how many rows were accepted, and the faults. */
export type Filing = { readonly rows: number; readonly faults: readonly SourceFault[] };

/** The most faults kept of one file: if it is broken throughout, the first ones are enough. */
const MOST_FAULTS = 20;

/**
 * Processes the statements of a file one after the other, and accepts each one whose balances follow from its rows.
 * Rows that no statement closes are dropped, and so are those of a faulty statement.
 * @param name of the file, named in its faults
 * @param take receives each accepted statement as it closes
 */
export async function fileParts<Draft extends RowDraft>(
  parts: AsyncIterable<StatementPart>,
  {
    name,
    settings,
    openDraft,
    take,
  }: {
    readonly name: string;
    readonly settings: Pick<FileSettings, 'balances'>;
    readonly openDraft: () => Draft;
    readonly take: (filed: Filed<Draft>) => void;
  },
): Promise<Filing> {
  const open = new Map<string, Draft>();
  const refused: StatementFault[] = [];
  let [more, rows, index, days] = [0, 0, 0, 0];

  function refuse(fault: StatementFault): void {
    if (refused.length < MOST_FAULTS) refused.push(fault);
    else more += 1;
  }

  function dropOpen(): void {
    for (const draft of open.values()) draft.drop();
    open.clear();
  }

  function draftOf({ of = '' }: { readonly of?: string }): Draft {
    const known = open.get(of);
    if (known !== undefined) return known;
    const draft = openDraft();
    open.set(of, draft);
    return draft;
  }

  async function close(part: Extract<StatementPart, { kind: 'statement' }>): Promise<void> {
    const draft = draftOf(part);
    open.delete(part.of ?? '');
    try {
      const filed = filedStatement(part.statement, await draft.book(part.statement), settings);
      days += Math.max(1, filed.booked.days.length);
      if (days > MOST_DAYS) {
        const message = `the file has more than ${MOST_DAYS} days of statements`;
        throw new StatementFault(message, part.statement.place, 'STATEMENT_FILE_TOO_LARGE', true);
      }
      take({ ...filed, index, draft });
      index += 1;
      rows += filed.booked.rowCount;
    } catch (error) {
      draft.drop();
      const { place } = part.statement;
      if (error instanceof MoneyError) refuse(new StatementFault('the sums exceed 18 digits', place));
      else if (!(error instanceof StatementFault) || error.ofWholeFile) throw error;
      else refuse(new StatementFault(error.message, error.place ?? place, error.code));
    }
  }

  try {
    for await (const part of parts) {
      if (part.kind === 'row') draftOf(part).add(part);
      else if (part.kind === 'statement') await close(part);
      else {
        dropOpen();
        refuse(part.fault);
      }
    }
  } catch (error) {
    if (!(error instanceof StatementFault)) throw error;
    // Statements read before the fault are kept.
    refuse(error);
  } finally {
    dropOpen();
  }
  return { rows, faults: sourceFaults(name, refused, more) };
}

function sourceFaults(source: string, refused: readonly StatementFault[], more: number): SourceFault[] {
  const faults = refused.map(({ code, message, place }) => ({ code, message, source, place }));
  if (more === 0) return faults;
  const message = `${more} more statements of the file cannot be imported`;
  return [...faults, { code: 'STATEMENT_FILE_INVALID', message, source, place: null }];
}

/**
 * @throws StatementFault for a statement whose rows do not lead from its opening to its closing balance, unless that is
 * only noted
 */
function filedStatement(
  statement: Omit<Statement, 'rows'>,
  booked: Booked,
  { balances }: Pick<FileSettings, 'balances'>,
): Omit<Filed<RowDraft>, 'index' | 'draft'> {
  const { account, format, closing, opening, available, place } = statement;
  const difference = balanceDifference(statement, booked);
  if (difference !== null && balances === 'strict') {
    throw new StatementFault(difference, place, 'STATEMENT_BALANCES_DIFFER');
  }
  const noted = difference === null ? [] : [{ code: 'STATEMENT_BALANCES_DIFFER' as const, message: difference, place }];
  const { lastTransactionDate, stated, runs, days } = booked;
  return {
    accountKey: account.key,
    format,
    notes: [...statement.notes, ...noted],
    stated,
    runs,
    days,
    booked,
    summary: {
      account,
      format,
      closingDay: closing?.day ?? lastTransactionDate?.slice(0, 10) ?? opening?.day ?? '',
      openingDay: opening?.day ?? null,
      isProven: opening !== null && closing !== null && difference === null,
      stated: closing?.amount ?? null,
      intraday: statement.intraday === undefined ? null : { ...statement.intraday, booked: booked.net },
      opening: opening?.amount ?? null,
      balance: booked.balance ?? opening?.amount ?? null,
      available,
      lastTransactionDate,
    },
  };
}

/**
 * A message about the difference between the closing balance and the one that the opening balance and the rows lead to;
 * null if there is none.
 */
function balanceDifference(
  { opening, closing }: Pick<Statement, 'opening' | 'closing'>,
  { net }: Booked,
): string | null {
  if (opening === null || closing === null) return null;
  const expected = add(opening.amount, net);
  if (expected === closing.amount) return null;
  return `the rows lead from the opening balance ${opening.amount} to ${expected}, but the closing balance is ${closing.amount}`;
}
