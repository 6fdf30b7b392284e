import { createHash } from 'node:crypto';
import { readsOf, transactionsThen } from '../../../audit/lists-then.ts';
import { listAsOf } from '../../../audit/page-as-of.ts';
import { type TransactionDocument, transactions } from '../../../projections/transactions.ts';
import { transactionConditions, transactionSort } from '../../../queries/transaction-filter.ts';
import { type Cell, type CsvDialect, csvHeader, csvLines } from '../../core/csv.ts';
import { operation } from '../../core/operation.ts';
import { asOf, flag } from '../../core/parameters.ts';
import { waitUntilReached } from '../../core/wait-until-reached.ts';
import { partByPart } from '../../core/watched-stream.ts';
import { z } from '../../core/zod.ts';
import { positionOfMoment } from '../../paging/page-as-of.ts';
import { describedWith } from '../../resources/transaction.ts';
import { refuseEmptyRanges, refuseUnknownKeys, transactionFilters } from './filters.ts';

const COLUMNS: readonly (readonly [string, (row: TransactionDocument) => Cell])[] = [
  ['id', (row) => row.id],
  ['companies', (row) => row.companyId],
  ['bankCode', (row) => row.bankCode],
  ['accountId', (row) => row.accountId],
  ['subAccountKey', (row) => row.subAccountKey],
  ['status', (row) => row.status],
  ['version', (row) => ({ number: String(row.revision) })],
  ['transactionDate', (row) => row.transactionDate],
  ['fetchedAt', (row) => row.fetchedAt],
  ['incoming', (row) => row.incoming],
  ['amount', (row) => ({ number: row.amount })],
  ['balance', (row) => (row.balance === null ? null : { number: row.balance })],
  ['currency', (row) => row.currency],
  ['nameSurname', (row) => row.nameSurname],
  ['iban', (row) => row.iban],
  ['idNo', (row) => row.idNo],
  ['findAI', (row) => row.findAI],
  ['code', (row) => row.code],
  ['description', (row) => describedWith(row.description, row.references)],
  ['providerStamp', (row) => row.providerStamp],
  ['automationStatus', (row) => row.automation.status],
  ['referenceKeys', (row) => row.referenceKeys.join(' ')],
  ['tags', (row) => row.tags.join(' ')],
];

const ROWS_A_CHUNK = 200;

const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const;
const DECIMALS = { point: '.', comma: ',' } as const;

export const exportTransactionsOperation = operation({
  id: 'exportTransactions',
  method: 'get',
  path: '/banks/transactions/export',
  tag: 'Transactions',
  summary: 'Transactions by filter as CSV (RFC 4180, UTF-8), oldest first',
  description:
    'Streamed, exactly as of the log position in the header `x-log-position`: the same position gives the same ' +
    'bytes, and so does the same `asOf`. The HTTP ' +
    'trailers `x-row-count` and `repr-digest` (RFC 9530) show whether all of it arrived.',
  access: 'transactions:read',
  query: z.strictObject({
    ...transactionFilters,
    asOf,
    separator: z.enum(['comma', 'semicolon', 'tab']).optional().openapi({ default: 'comma' }),
    decimal: z.enum(['point', 'comma']).optional().openapi({ default: 'point' }),
    bom: flag.optional().openapi({ description: 'Start with a byte order mark, for spreadsheets that need one.' }),
  }),
  result: z.string(),
  media: 'text/csv',
  errors: ['DATE_RANGE_INVALID', 'TRANSACTION_AMOUNT_RANGE_INVALID'],
  reads: [transactions],
  handle: async ({ services, caller, reader, query, signal, trailers }) => {
    const { separator = 'comma', decimal = 'point', bom = false, asOf: moment, ...filter } = query;
    refuseEmptyRanges(filter);
    await refuseUnknownKeys(services, filter);
    const dialect: CsvDialect = { separator: SEPARATORS[separator], decimal: DECIMALS[decimal], bom };
    const position =
      moment === undefined
        ? await services.positionOf(transactions.name)
        : await positionOfMoment(services, reader.tenantId, moment);
    await waitUntilReached(services, readsOf(transactionsThen), position);
    const question = { filter: transactionConditions(filter), sort: transactionSort('transactionDate'), position };
    const rows = listAsOf(services.log, reader, { list: transactionsThen, ...question });
    const inTurn = <T>(next: () => Promise<T>) => services.costlyRequests.inTurn(caller.tenantId, next, signal);
    const chunks = partByPart(csvChunks(rows, dialect, signal, trailers), inTurn);
    return {
      stream: ReadableStream.from(chunks) as ReadableStream<Uint8Array>,
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="transactions.csv"',
        'cache-control': 'no-store',
        'x-log-position': position,
        trailer: 'x-row-count, repr-digest',
      },
    };
  },
});

async function* csvChunks(
  rows: AsyncIterable<TransactionDocument>,
  dialect: CsvDialect,
  signal: AbortSignal,
  trailers: (values: Record<string, string>) => void,
): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  const digest = createHash('sha256');
  let count = 0;
  const sealed = (text: string): Uint8Array => {
    const bytes = encoder.encode(text);
    digest.update(bytes);
    return bytes;
  };
  yield sealed(
    csvHeader(
      COLUMNS.map(([name]) => name),
      dialect,
    ),
  );
  let waiting: Cell[][] = [];
  for await (const row of rows) {
    if (signal.aborted) return;
    waiting.push(COLUMNS.map(([, cell]) => cell(row)));
    count += 1;
    if (waiting.length < ROWS_A_CHUNK) continue;
    yield sealed(csvLines(waiting, dialect));
    waiting = [];
  }
  if (waiting.length > 0) yield sealed(csvLines(waiting, dialect));
  trailers({ 'x-row-count': String(count), 'repr-digest': `sha-256=:${digest.digest('base64')}:` });
}
