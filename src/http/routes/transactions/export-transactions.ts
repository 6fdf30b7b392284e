import { readsOf, transactionsThen } from '../../../audit/lists-then.ts';
import { transactions } from '../../../projections/transactions.ts';
import { TRANSACTION_SORTS, transactionConditions, transactionSort } from '../../../queries/transaction-filter.ts';
import type { CsvDialect } from '../../core/csv.ts';
import { type Call, operation } from '../../core/operation.ts';
import { asOf, flag, listedIn } from '../../core/parameters.ts';
import { waitUntilReached } from '../../core/wait-until-reached.ts';
import { z } from '../../core/zod.ts';
import { positionOfMoment } from '../../paging/page-as-of.ts';
import { EXPORT_COLUMNS, GIVEN_COLUMNS } from './export-columns.ts';
import { refuseEmptyRanges, refuseUnknownKeys, transactionFilters } from './filters.ts';
import type { FilePart, TransactionFile } from './transaction-file.ts';

const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const;
const DECIMALS = { point: '.', comma: ',' } as const;

export const exportTransactionsOperation = operation({
  id: 'exportTransactions',
  method: 'get',
  path: '/banks/transactions/export',
  tag: 'Transactions',
  summary: 'Transactions by filter as CSV (RFC 4180, UTF-8), oldest first unless `sort` says otherwise',
  description:
    'Streamed, exactly as of the log position in the header `x-log-position`: the same position gives the same ' +
    'bytes, and so does the same `asOf`. The HTTP ' +
    'trailers `x-row-count` and `repr-digest` (RFC 9530) show whether all of it arrived.',
  access: 'transactions:read',
  query: z.strictObject({
    ...transactionFilters,
    columns: listedIn(z.enum(EXPORT_COLUMNS), EXPORT_COLUMNS.length, EXPORT_COLUMNS)
      .optional()
      .openapi({
        description:
          'The columns in this order; all but `signedAmount`, `assigned`, `connectionTitle` and `accountName` by ' +
          'default. `signedAmount` is negative for what went out. The last two are names as of now.',
        example: ['transactionDate', 'nameSurname', 'signedAmount', 'currency'],
      }),
    sort: z.enum(TRANSACTION_SORTS).optional().openapi({ default: 'transactionDate' }),
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
    const { separator = 'comma', decimal = 'point', bom = false, asOf: moment, columns, sort, ...filter } = query;
    refuseEmptyRanges(filter);
    await refuseUnknownKeys(services, filter);
    const dialect: CsvDialect = { separator: SEPARATORS[separator], decimal: DECIMALS[decimal], bom };
    const position =
      moment === undefined
        ? await services.positionOf(transactions.name)
        : await positionOfMoment(services, reader.tenantId, moment);
    await waitUntilReached(services, readsOf(transactionsThen), position);
    const { transactionFiles } = services;
    const file = transactionFiles.open({
      tenantId: reader.tenantId,
      companies: reader.companies,
      filter: transactionConditions(filter),
      sort: transactionSort(sort ?? 'transactionDate'),
      position,
      columns: columns ?? GIVEN_COLUMNS,
      dialect,
    });
    const inTurn = (next: () => Promise<FilePart>) => transactionFiles.inTurn(caller.tenantId, next, signal);
    return {
      stream: ReadableStream.from(bytesOf(file, inTurn, { signal, trailers })) as ReadableStream<Uint8Array>,
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

/** The bytes of the file; its seal becomes the trailers, without which the client knows that something is missing. */
async function* bytesOf(
  file: TransactionFile,
  inTurn: (next: () => Promise<FilePart>) => Promise<FilePart>,
  { signal, trailers }: Pick<Call<never, never, never>, 'signal' | 'trailers'>,
): AsyncIterable<Uint8Array> {
  // What is being made for a client that has left ends at once.
  signal.addEventListener('abort', file.close);
  try {
    for (let seal: FilePart['seal'] = null; seal === null; ) {
      const part = await inTurn(file.next);
      ({ seal } = part);
      if (seal !== null) trailers({ 'x-row-count': String(seal.rows), 'repr-digest': `sha-256=:${seal.digest}:` });
      if (part.bytes.length > 0) yield part.bytes;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', file.close);
    file.close();
  }
}
