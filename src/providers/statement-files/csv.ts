import { type Decimal, fromUnits, toUnits } from '../../shared/money.ts';
import { foldText } from '../../shared/text-folding.ts';
import { statedIban } from './account-number.ts';
import { type CsvRow, openCsvAccounts } from './csv-accounts.ts';
import type { CsvColumn, CsvConstant, CsvMapping } from './csv-mapping.ts';
import { csvRecords } from './csv-records.ts';
import { amountReader, dayReader } from './csv-values.ts';
import { referencesOf } from './row-references.ts';
import { statedAccount } from './stated-account.ts';
import { StatementFault, type StatementRow, tidied } from './statement.ts';
import type { StatementPart, StatementReader } from './statement-parts.ts';

/**
 * Reads rows by the mapping of a connection, and yields a statement for each account and currency. If a column holds
 * the balance after each row, the first and last rows give the opening and closing balance; otherwise the statement
 * states none.
 */
export function csvReader(mapping: CsvMapping): StatementReader {
  return async function* read(text): AsyncGenerator<StatementPart> {
    const accounts = openCsvAccounts();
    try {
      let columns: ReadonlyMap<CsvColumn, number> | null = mapping.header === 0 ? new Map() : null;
      const toRow = rowReader(mapping);
      let passed = 0;
      for await (const { cells, line } of csvRecords(text, mapping.delimiter)) {
        if (columns === null) {
          passed += 1;
          if (passed === mapping.header) columns = columnsNamed(mapping, cells, line);
          continue;
        }
        const row = toRow(cells, columns, `line ${line}`);
        if (row !== null) yield* accounts.take(row, `line ${line}`);
      }
      if (columns === null) throw new StatementFault('the file ends within the header lines of the csv mapping', null);
      yield* accounts.end();
    } catch (error) {
      if (!(error instanceof StatementFault)) throw error;
      yield { kind: 'fault', fault: error };
    }
  };
}

/** Whether the beginning of a text has a row or header line that a mapping describes. */
export function looksLikeCsv(mapping: CsvMapping, head: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what no text has
  if (/^(%PDF|<|\{|PK)|[\u0000-\u0008\u000e-\u0019\u001b-\u001f]/.test(head)) return false;
  const lines = head.split(/\r\n|\r|\n/, 2 * mapping.header + 50).filter((line) => line.trim() !== '');
  const line = lines[Math.max(0, mapping.header - 1)] ?? '';
  const names = textColumns(mapping);
  if (names.length === 0) return line.split(mapping.delimiter).length >= lastColumn(mapping);
  const found = new Set(line.split(mapping.delimiter).map((cell) => foldText(cell.replaceAll('"', ''))));
  return names.some((name) => found.has(foldText(name)));
}

function allColumns({ columns }: CsvMapping): (CsvColumn | CsvConstant)[] {
  return Object.values(columns).flatMap((one) =>
    one === undefined ? [] : ([one].flat() as (CsvColumn | CsvConstant)[]),
  );
}

function textColumns(mapping: CsvMapping): string[] {
  return allColumns(mapping).filter((one) => typeof one === 'string');
}

function lastColumn(mapping: CsvMapping): number {
  return Math.max(...allColumns(mapping).map((one) => (typeof one === 'number' ? one : 1)));
}

/** The index of each named column. @throws StatementFault for one that is missing or occurs twice */
function columnsNamed(mapping: CsvMapping, cells: readonly string[], line: number): ReadonlyMap<CsvColumn, number> {
  const places = new Map<string, number[]>();
  for (const [index, cell] of cells.entries()) {
    const name = foldText(cell);
    const known = places.get(name);
    if (known === undefined) places.set(name, [index]);
    else known.push(index);
  }
  const found = new Map<CsvColumn, number>();
  for (const name of textColumns(mapping)) {
    const [first, another] = places.get(foldText(name)) ?? [];
    if (first === undefined) throw new StatementFault(`no column is named "${name}"`, `line ${line}`);
    if (another !== undefined) throw new StatementFault(`several columns are named "${name}"`, `line ${line}`);
    found.set(name, first);
  }
  return found;
}

type RowReader = (cells: readonly string[], columns: ReadonlyMap<CsvColumn, number>, place: string) => CsvRow | null;

/** Null for a line without a date and an amount, such as a heading or a sum below the rows. @throws StatementFault */
function rowReader(mapping: CsvMapping): RowReader {
  const { columns: named } = mapping;
  const dayOf = dayReader(mapping.dateFormat);
  const amountOf = amountReader(mapping);
  const moneyColumns = [named.amount, named.debit, named.credit];
  return (cells, columns, place) => {
    const cell = (column: CsvColumn | CsvConstant | undefined): string => {
      if (column === undefined) return '';
      if (typeof column === 'object') return column.value;
      return cells[columns.get(column) ?? (typeof column === 'number' ? column - 1 : cells.length)] ?? '';
    };
    const date = cell(named.date);
    if (date === '' && moneyColumns.every((column) => cell(column) === '')) return null;
    const day = dayOf(date);
    if (day === null) {
      throw new StatementFault(`a date is no day in the form ${mapping.dateFormat}`, place);
    }
    const change = toUnits(changeOf(mapping, cell, amountOf, place));
    const balance = cell(named.balance);
    const account = statedAccount(cell(named.account), cell(named.currency), place);
    const iban = statedIban(cell(named.iban));
    const texts = named.description === undefined ? [] : [named.description].flat();
    const reference = tidied(cell(named.reference));
    const row: StatementRow = {
      reference,
      transactionDate: `${day}T00:00:00.000Z`,
      day,
      formerDay: null,
      amount: fromUnits(change < 0n ? -change : change),
      incoming: change >= 0n,
      description: tidied([...new Set(texts.map(cell))].filter((text) => text !== '').join(' '), 'description'),
      nameSurname: tidied(cell(named.name)),
      iban: iban === account.iban ? null : iban,
      idNo: tidied(cell(named.idNo)) ?? '',
      code: tidied(cell(named.code)),
      findAI: false,
      references: referencesOf({ ...NO_REFERENCES, bankReference: reference }),
    };
    return { account, row, balance: balance === '' ? null : amountOf(balance, place) };
  };
}

const NO_REFERENCES = { endToEndId: null, mandateId: null, creditorId: null, customerReference: null };

/** The signed amount of a row. */
function changeOf(
  { columns, sign }: CsvMapping,
  cell: (column: CsvColumn | undefined) => string,
  amountOf: (text: string, place: string) => Decimal,
  place: string,
): Decimal {
  if (sign === 'columns') {
    const [debit, credit] = [columns.debit, columns.credit].map((column) => {
      const text = cell(column);
      return text === '' ? null : amountOf(text, place).replace('-', '');
    });
    if (debit != null && credit != null && debit !== '0' && credit !== '0') {
      throw new StatementFault('a row has both a debit and a credit', place);
    }
    if (debit == null && credit == null) throw new StatementFault('a row has no amount', place);
    return credit != null && credit !== '0' ? credit : opposite(debit ?? '0');
  }
  const text = cell(columns.amount);
  if (text === '') throw new StatementFault('a row has no amount', place);
  const amount = amountOf(text, place);
  if (sign === 'signed') return amount;
  if (sign === 'inverted') return opposite(amount);
  const mark = foldText(cell(columns.indicator));
  const isDebit = sign.debit.some((one) => foldText(one) === mark);
  const isCredit = sign.credit.some((one) => foldText(one) === mark);
  if (isDebit === isCredit) throw new StatementFault('a row is neither a debit nor a credit', place);
  if (isCredit && amount.startsWith('-')) {
    throw new StatementFault('the sign of an amount contradicts its mark of a credit', place);
  }
  return isDebit && !amount.startsWith('-') ? opposite(amount) : amount;
}

function opposite(amount: Decimal): Decimal {
  if (amount === '0') return amount;
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}
