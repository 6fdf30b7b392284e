import type { BankTransaction, TransactionRule } from '../../sdk/src/index.ts';
import { type Column, sayJson, sayTable } from './output.ts';

/** With every digit that the amount has: the banks' amounts have up to five decimals. */
const amounts = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 5, useGrouping: false });
const money = (amount: number, incoming: boolean): string => `${incoming ? '+' : '-'}${amounts.format(amount)}`;

export const TRANSACTION_COLUMNS: readonly Column<BankTransaction>[] = [
  { title: 'DATE', of: (row) => row.transactionDate?.slice(0, 10) },
  { title: 'AMOUNT', of: (row) => money(row.amount, row.incoming), right: true },
  { title: 'CURRENCY', of: (row) => row.currency },
  { title: 'COUNTERPARTY', of: (row) => row.nameSurname },
  { title: 'DESCRIPTION', of: (row) => row.description },
  { title: 'REFERENCES', of: (row) => row.assignmentSummary.referenceKeys.join(' ') },
  { title: 'ID', of: (row) => row.id },
];

export const RULE_COLUMNS: readonly Column<TransactionRule>[] = [
  { title: 'NAME', of: (rule) => rule.name },
  { title: 'STATUS', of: (rule) => rule.status, tone: ({ status }) => (status === 'active' ? 'good' : null) },
  { title: 'VERSION', of: (rule) => rule.version, right: true },
  { title: 'REFERENCE', of: (rule) => rule.referenceKey },
  { title: 'ID', of: (rule) => rule.id },
];

/** Items as they come, up to a number: as JSON one a line, or as a table. */
export async function sayList<Item extends object>(
  items: AsyncIterable<Item>,
  columns: readonly Column<Item>[],
  { limit, json = false }: { readonly limit: number; readonly json?: boolean },
): Promise<void> {
  const shown: Item[] = [];
  let count = 0;
  for await (const item of items) {
    if (count === limit) break;
    count += 1;
    if (json) sayJson(item);
    else shown.push(item);
  }
  if (!json) sayTable(shown, columns);
}

/** Items that are all there: as JSON one a line, or as a table. */
export function sayEach<Item extends object>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  { json = false }: { readonly json?: boolean },
): void {
  if (json) for (const item of items) sayJson(item);
  else sayTable(items, columns);
}
