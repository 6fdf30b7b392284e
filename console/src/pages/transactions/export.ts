import type { ExportTransactionsQuery } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { saveFile } from '../../api/save-file.ts';
import { dayIn } from '../../format/days.ts';
import { timeZone } from '../../session/session.ts';

type Column = NonNullable<ExportTransactionsQuery['columns']>[number];

/** What a column of the table shows, by the columns of the file. */
const SHOWN: Readonly<Record<string, readonly Column[]>> = {
  day: ['transactionDate'],
  // The table has the IBAN in place of a name that is missing.
  counterparty: ['nameSurname', 'iban'],
  description: ['description'],
  references: ['referenceKeys'],
  tags: ['tags'],
  connection: ['connectionTitle'],
  account: ['accountName'],
  iban: ['iban'],
  code: ['code'],
  fetched: ['fetchedAt'],
  balance: ['balance', 'currency'],
  amount: ['signedAmount', 'currency'],
  state: ['assigned', 'automationStatus'],
};

/** Of the table's columns, in their order; each once. */
export function columnsOfFile(keys: readonly string[]): Column[] {
  return [...new Set(keys.flatMap((key) => SHOWN[key] ?? []))];
}

/**
 * Has the browser save what the table shows as CSV: its columns, and all rows of the filter in its order, as of the
 * moment that is shown.
 */
export async function saveCsv(query: ExportTransactionsQuery, language: string): Promise<void> {
  // A spreadsheet in Turkish takes a comma for the decimal mark.
  const form = language === 'tr' ? ({ separator: 'semicolon', decimal: 'comma' } as const) : {};
  const answer = (await api().exportTransactions({ ...query, ...form, bom: true })) as unknown as Response;
  await saveFile(answer, `transactions-${dayIn(timeZone.value, new Date())}.csv`);
}
