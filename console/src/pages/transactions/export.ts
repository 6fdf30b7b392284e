import type { ExportTransactionsQuery } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { saveFile } from '../../api/save-file.ts';
import { dayIn } from '../../format/days.ts';
import { timeZone } from '../../session/session.ts';

/** Has the browser save the CSV of every row of the filter, as of the moment that is shown. */
export async function saveCsv(query: ExportTransactionsQuery, language: string): Promise<void> {
  // A spreadsheet in Turkish takes a comma for the decimal mark.
  const form = language === 'tr' ? ({ separator: 'semicolon', decimal: 'comma' } as const) : {};
  const answer = (await api().exportTransactions({ ...query, ...form, bom: true })) as unknown as Response;
  await saveFile(answer, `transactions-${dayIn(timeZone.value, new Date())}.csv`);
}
