import type { ExportTransactionsQuery } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';

/** Long enough for the browser to have taken the file over. */
const KEPT_MS = 60_000;

/** Has the browser save the CSV of every row of the filter, as of the moment that is shown. */
export async function saveCsv(query: ExportTransactionsQuery, language: string): Promise<void> {
  // A spreadsheet in Turkish takes a comma for the decimal mark.
  const form = language === 'tr' ? ({ separator: 'semicolon', decimal: 'comma' } as const) : {};
  const answer = (await api().exportTransactions({ ...query, ...form, bom: true })) as unknown as Response;
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `transactions-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
