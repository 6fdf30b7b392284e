import { connections } from '../../../projections/connections.ts';
import type { TransactionDocument } from '../../../projections/transactions.ts';
import type { Reader } from '../../../queries/reader.ts';
import { type Cell, type CsvDialect, cellWriter, LINE_END } from '../../core/csv.ts';
import { describedWith } from '../../resources/described-with.ts';

/** What the bank and the company call where a row comes from. */
export type Origin = { readonly connectionTitle: string | null; readonly accountName: string | null };

type CellOf = (row: TransactionDocument, origin: Origin) => Cell;

/** Those of a file for which none were chosen, in this order. */
const GIVEN = {
  id: (row) => row.id,
  companies: (row) => row.companyId,
  bankCode: (row) => row.bankCode,
  accountId: (row) => row.accountId,
  subAccountKey: (row) => row.subAccountKey,
  status: (row) => row.status,
  version: (row) => ({ number: String(row.revision) }),
  transactionDate: (row) => row.transactionDate,
  fetchedAt: (row) => row.fetchedAt,
  incoming: (row) => row.incoming,
  amount: (row) => ({ number: row.amount }),
  balance: (row) => (row.balance === null ? null : { number: row.balance }),
  currency: (row) => row.currency,
  nameSurname: (row) => row.nameSurname,
  iban: (row) => row.iban,
  idNo: (row) => row.idNo,
  findAI: (row) => row.findAI,
  code: (row) => row.code,
  description: (row) => describedWith(row.description, row.references),
  providerStamp: (row) => row.providerStamp,
  automationStatus: (row) => row.automation.status,
  referenceKeys: (row) => row.referenceKeys.join(' '),
  tags: (row) => row.tags.join(' '),
} as const satisfies Readonly<Record<string, CellOf>>;

/** Only where they are asked for: a file without chosen columns stays as it is. */
const FURTHER = {
  signedAmount: ({ amount, incoming }) => ({ number: incoming || /^[0.]*$/.test(amount) ? amount : `-${amount}` }),
  assigned: (row) => row.referenceKeys.length > 0,
  connectionTitle: (_, { connectionTitle }) => connectionTitle,
  accountName: (_, { accountName }) => accountName,
} as const satisfies Readonly<Record<string, CellOf>>;

const ALL = { ...GIVEN, ...FURTHER };

export type ExportColumn = keyof typeof ALL;
export const EXPORT_COLUMNS = Object.keys(ALL) as ExportColumn[];
export const GIVEN_COLUMNS = Object.keys(GIVEN) as ExportColumn[];

const UNKNOWN: Origin = { connectionTitle: null, accountName: null };

/**
 * Writes rows as lines with the chosen columns. Names are looked up where one of them is chosen, once for each
 * connection of the file: they are those of now.
 */
export function lineWriter(
  reader: Reader,
  columns: readonly ExportColumn[],
  dialect: CsvDialect,
): (rows: readonly TransactionDocument[]) => Promise<string> {
  const needsNames = columns.some((column) => column === 'connectionTitle' || column === 'accountName');
  const seen = new Set<string>();
  const titles = new Map<string, string>();
  const names = new Map<string, string>();
  const learn = async (rows: readonly TransactionDocument[]): Promise<void> => {
    const ids = [...new Set(rows.flatMap(({ accountId }) => accountId ?? []))].filter((id) => !seen.has(id));
    for (const id of ids) seen.add(id);
    if (ids.length === 0) return;
    for (const { id, title, subAccounts } of await reader.many(connections, ids)) {
      titles.set(id, title);
      for (const { subAccountKey, accountName, iban, accountNo } of subAccounts) {
        names.set(`${id} ${subAccountKey}`, accountName ?? iban ?? accountNo ?? subAccountKey);
      }
    }
  };
  const originOf = ({ accountId, subAccountKey }: TransactionDocument): Origin => ({
    connectionTitle: titles.get(accountId ?? '') ?? null,
    accountName: names.get(`${accountId} ${subAccountKey}`) ?? null,
  });
  const write = cellWriter(dialect, columns.length);
  const [first, ...others] = columns.map((column): CellOf => ALL[column]);
  return async (rows) => {
    if (needsNames) await learn(rows);
    let lines = '';
    for (const row of rows) {
      const origin = needsNames ? originOf(row) : UNKNOWN;
      if (first !== undefined) lines += write(first(row, origin));
      for (const cellOf of others) lines += dialect.separator + write(cellOf(row, origin));
      lines += LINE_END;
    }
    return lines;
  };
}
