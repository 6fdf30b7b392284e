import { createHash } from 'node:crypto';
import { readsOf, transactionsThen } from '../../../audit/lists-then.ts';
import { pagesAsOf } from '../../../audit/page-as-of.ts';
import { type TransactionDocument, transactions } from '../../../projections/transactions.ts';
import type { Reader } from '../../../queries/reader.ts';
import { TRANSACTION_SORTS, transactionConditions, transactionSort } from '../../../queries/transaction-filter.ts';
import { type CsvDialect, csvHeader, csvLines } from '../../core/csv.ts';
import { operation } from '../../core/operation.ts';
import { asOf, flag, listedIn } from '../../core/parameters.ts';
import { waitUntilReached } from '../../core/wait-until-reached.ts';
import { partByPart } from '../../core/watched-stream.ts';
import { z } from '../../core/zod.ts';
import { positionOfMoment } from '../../paging/page-as-of.ts';
import { cellsOf, EXPORT_COLUMNS, type ExportColumn, GIVEN_COLUMNS } from './export-columns.ts';
import { refuseEmptyRanges, refuseUnknownKeys, transactionFilters } from './filters.ts';

/** Each part is made in an iteration of the event loop of its own, for which other requests wait. */
const ROWS_A_PART = 32;

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
    const question = {
      filter: transactionConditions(filter),
      sort: transactionSort(sort ?? 'transactionDate'),
      position,
    };
    const pages = pagesAsOf(services.log, reader, { list: transactionsThen, ...question, pageSize: ROWS_A_PART });
    const inTurn = <T>(next: () => Promise<T>) => services.costlyRequests.inTurn(caller.tenantId, next, signal);
    const chunks = partByPart(
      csvChunks({ pages, columns: columns ?? GIVEN_COLUMNS, dialect, reader, signal, trailers }),
      inTurn,
    );
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

type File = {
  readonly pages: AsyncIterable<readonly TransactionDocument[]>;
  readonly columns: readonly ExportColumn[];
  readonly dialect: CsvDialect;
  readonly reader: Reader;
  readonly signal: AbortSignal;
  readonly trailers: (values: Record<string, string>) => void;
};

async function* csvChunks({ pages, columns, dialect, reader, signal, trailers }: File): AsyncIterable<Uint8Array> {
  const cells = cellsOf(reader, columns);
  const encoder = new TextEncoder();
  const digest = createHash('sha256');
  let count = 0;
  const sealed = (text: string): Uint8Array => {
    const bytes = encoder.encode(text);
    digest.update(bytes);
    return bytes;
  };
  yield sealed(csvHeader(columns, dialect));
  for await (const rows of pages) {
    if (signal.aborted) return;
    count += rows.length;
    if (rows.length > 0) yield sealed(csvLines(await cells(rows), dialect));
  }
  trailers({ 'x-row-count': String(count), 'repr-digest': `sha-256=:${digest.digest('base64')}:` });
}
