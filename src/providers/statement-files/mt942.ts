import { fromUnits, MoneyError, toUnits } from '../../shared/money.ts';
import { swiftAmount } from './amount.ts';
import { readAccount } from './mt940.ts';
import { looksLikeSwift, openSwiftFields, type SwiftField } from './mt940-fields.ts';
import { readMovement, swiftDay } from './mt940-movement.ts';
import { type Statement, StatementFault } from './statement.ts';
import type { StatementPart, StatementReader } from './statement-parts.ts';
import { linesOf } from './text-lines.ts';

/** Whether a text holds reports and, where it also holds statements, begins with a report. */
export function looksLikeMt942(text: string): boolean {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\{4:/g, '\n');
  const first = /^[\p{C}\p{Z}]*:(34F|60[FM]):/mu.exec(lines)?.[1];
  return first === '34F' && looksLikeSwift(text);
}

/** What is kept of one report: its rows only as sums. */
type Report = {
  readonly line: number;
  account: SwiftField | null;
  limit: SwiftField | null;
  made: SwiftField | null;
  lastDay: string;
  readonly debits: Sum;
  readonly credits: Sum;
  fault: StatementFault | null;
};
type Sum = { units: bigint; stated: SwiftField | null };

/**
 * Reads SWIFT MT942 interim transaction reports. A report does not say which movements are booked and which are
 * expected, so all of them are pending: the MT940 of the day lists those that were booked. A report is verified by its
 * sums (:90D:, :90C:) if it states them.
 */
export const readMt942: StatementReader = async function* (text) {
  const fields = openSwiftFields();
  let report: Report | null = null;
  let found = false;

  function* take(field: SwiftField): Generator<StatementPart> {
    const opens = field.tag === '20' || (field.tag === '25' && report?.account != null);
    if (opens && report !== null) yield closingPart(report);
    if (opens || report === null) report = opened(field.line);
    found = true;
    takeField(report, field);
  }

  function* end(): Generator<StatementPart> {
    if (report !== null) yield closingPart(report);
    report = null;
  }

  for await (const lines of linesOf(text)) {
    for (const line of lines) {
      for (const event of fields.take(line)) {
        if (event.kind === 'field') yield* take(event.field);
        else if (event.kind === 'end') yield* end();
      }
    }
  }
  for (const event of fields.end()) if (event.kind === 'field') yield* take(event.field);
  yield* end();
  if (!found) yield { kind: 'fault', fault: new StatementFault('the file holds no report (:20:)', null) };
};

function opened(line: number): Report {
  const [debits, credits] = [
    { units: 0n, stated: null },
    { units: 0n, stated: null },
  ];
  return { line, account: null, limit: null, made: null, lastDay: '', debits, credits, fault: null };
}

function takeField(report: Report, field: SwiftField): void {
  switch (field.tag) {
    case '25':
    case '25P':
      report.account ??= field;
      break;
    case '34F':
      report.limit ??= field;
      break;
    case '13':
    case '13D':
      report.made ??= field;
      break;
    case '61':
      takeMovement(report, field);
      break;
    case '90D':
      report.debits.stated = field;
      break;
    case '90C':
      report.credits.stated = field;
      break;
    case '60F':
    case '60M':
    case '62F':
    case '62M':
      report.fault ??= new StatementFault('a statement (MT940) is among reports (MT942)', `line ${field.line}`);
      break;
    default:
  }
}

function takeMovement(report: Report, field: SwiftField): void {
  try {
    const { amount, incoming, entryDay, valueDay } = readMovement(field);
    const sum = incoming ? report.credits : report.debits;
    sum.units += toUnits(amount);
    const day = entryDay ?? valueDay;
    if (day > report.lastDay) report.lastDay = day;
  } catch (error) {
    if (!(error instanceof StatementFault)) throw error;
    report.fault ??= error;
  }
}

function closingPart(report: Report): StatementPart {
  const place = `line ${report.line}`;
  try {
    return { kind: 'statement', statement: toStatement(report, place) };
  } catch (error) {
    if (error instanceof StatementFault) return { kind: 'fault', fault: error };
    if (error instanceof MoneyError) {
      return { kind: 'fault', fault: new StatementFault('the sums exceed 18 digits', place) };
    }
    throw error;
  }
}

function toStatement(report: Report, place: string): Omit<Statement, 'rows'> {
  const { account, limit, made, debits, credits, lastDay, fault } = report;
  if (fault !== null) throw fault;
  if (account === null) throw new StatementFault('the report has no account (:25:)', place);
  if (limit === null) throw new StatementFault('the report has no currency (:34F:)', place);
  const currency = /^\s*([A-Z]{3})/.exec(limit.lines[0] ?? '')?.[1];
  if (currency === undefined) throw new StatementFault('the currency (:34F:) cannot be read', `line ${limit.line}`);
  checkSum(debits);
  checkSum(credits);
  return {
    identity: '',
    format: 'MT942',
    account: readAccount(account, currency),
    opening: null,
    closing: null,
    available: null,
    intraday: { asOf: madeAt(made) ?? lastDay, pending: fromUnits(credits.units - debits.units) },
    place,
    notes: [],
  };
}

/** @throws StatementFault if the report states a sum other than that of its movements */
function checkSum({ units, stated }: Sum): void {
  if (stated === null) return;
  const place = `line ${stated.line}`;
  const amount = /^\s*\d{1,5}[A-Z]{3}(\d[\d,.]*)\s*$/.exec(stated.lines[0] ?? '')?.[1];
  if (amount === undefined) throw new StatementFault(`a sum (:${stated.tag}:) cannot be read`, place);
  const expected = swiftAmount(amount, place);
  if (toUnits(expected) !== units) {
    const message = `the movements come to ${fromUnits(units)}, but the sum (:${stated.tag}:) is ${expected}`;
    throw new StatementFault(message, place, 'STATEMENT_BALANCES_DIFFER');
  }
}

/** `YYYY-MM-DDTHHMM` of a `:13D:`, whose zone is the same in all reports of a bank; null for none. */
function madeAt(made: SwiftField | null): string | null {
  const [, date = '', time = ''] = /^\s*(\d{6})(\d{4})/.exec(made?.lines[0] ?? '') ?? [];
  return made === null || date === '' ? null : `${swiftDay(date, `line ${made.line}`)}T${time}`;
}
