import {
  isSummed,
  MOST_ROWS_SUMMED,
  type TransactionTotals,
  totalsOfRows,
  totalsOfSums,
} from '../../../analytics/transaction-totals.ts';
import { readsOf, transactionsThen } from '../../../audit/lists-then.ts';
import { listAsOf } from '../../../audit/page-as-of.ts';
import { flows } from '../../../projections/analytics/flows.ts';
import { transactions } from '../../../projections/transactions.ts';
import { type TransactionFilter, transactionConditions, transactionSort } from '../../../queries/transaction-filter.ts';
import { sourceAt } from '../../core/analytics-source.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { jsonNumber } from '../../core/json-number.ts';
import { type Call, operation } from '../../core/operation.ts';
import { asOf } from '../../core/parameters.ts';
import { waitUntilReached } from '../../core/wait-until-reached.ts';
import { z } from '../../core/zod.ts';
import { pacedRows } from '../../paging/paced-rows.ts';
import { positionOfMoment } from '../../paging/page-as-of.ts';
import { refuseEmptyRanges, refuseUnknownKeys, transactionFilters } from './filters.ts';

const totalsSchema = z
  .strictObject({
    totals: z
      .array(
        z.strictObject({
          currency: z.string(),
          in: z.number().openapi({ description: 'What came in.' }),
          out: z.number().openapi({ description: 'What went out, as a positive number.' }),
          net: z.number().openapi({ description: '`in` minus `out`.' }),
          count: z.int().min(0),
        }),
      )
      .openapi({ description: 'One for each currency, in alphabetical order. Nothing is added across currencies.' }),
    count: z
      .strictObject({ value: z.int().min(0), atLeast: z.boolean() })
      .openapi({ description: 'The number of rows summed. `atLeast`: there are more, which are not in the sums.' }),
  })
  .openapi('TransactionTotals');

const query = z.strictObject({ ...transactionFilters, asOf });

export const getTransactionTotalsOperation = operation({
  id: 'getTransactionTotals',
  method: 'get',
  path: '/banks/transactions/totals',
  tag: 'Transactions',
  summary: 'What the transactions found by a filter add up to, by currency',
  description:
    'Rows that the bank withdrew are listed, but do not count here. A filter by account, bank, currency, direction, ' +
    '`assigned` and a range of time in whole quarter hours has exact totals of any number of rows. With any other ' +
    `filter the newest ${MOST_ROWS_SUMMED.toLocaleString('en')} rows found are summed; \`count.atLeast\` is true ` +
    'where there are more.',
  costly: true,
  access: 'transactions:read',
  query,
  result: totalsSchema,
  errors: ['DATE_RANGE_INVALID', 'TRANSACTION_AMOUNT_RANGE_INVALID'],
  reads: [transactions, flows.projection],
  handle: async (call) => {
    const { asOf: moment, ...filter } = call.query;
    refuseEmptyRanges(filter);
    await refuseUnknownKeys(call.services, filter);
    const { position, ...found } = (await sumsApply(call.services, filter))
      ? await ofSums(call, filter, moment)
      : await ofRows(call, filter, moment);
    const totals = found.totals.map((total) => ({
      ...total,
      in: jsonNumber(total.in),
      out: jsonNumber(total.out),
      net: jsonNumber(total.net),
    }));
    return { status: 200, result: { totals, count: { value: found.count, atLeast: found.atLeast } }, position };
  },
});

type Asked = Pick<Call<unknown, z.output<typeof query>, unknown>, 'services' | 'reader'>;
type Found = TransactionTotals & { readonly position: string };

/** While the sums are still those of an earlier version of this service, they lack some of the figures. */
async function sumsApply({ readModels }: HttpServices, filter: TransactionFilter): Promise<boolean> {
  return isSummed(filter) && (await readModels.readableVersion(flows.projection)) === flows.projection.version;
}

async function ofSums({ services, reader }: Asked, filter: TransactionFilter, moment?: string): Promise<Found> {
  const names = [flows.projection.name];
  const position =
    moment === undefined
      ? await services.positionOf(flows.projection.name)
      : await positionOfMoment(services, reader.tenantId, moment);
  if (moment !== undefined) await waitUntilReached(services, names, position);
  const totals = await totalsOfSums(sourceAt(services, reader, position), filter);
  return { ...totals, position };
}

async function ofRows(call: Asked, filter: TransactionFilter, moment?: string): Promise<Found> {
  const { services, reader } = call;
  const question = { filter: transactionConditions(filter), sort: transactionSort('-transactionDate') };
  if (moment === undefined) {
    const position = await services.positionOf(transactions.name);
    return { ...(await totalsOfRows(pacedRows(call, transactions, question))), position };
  }
  const position = await positionOfMoment(services, reader.tenantId, moment);
  await waitUntilReached(services, readsOf(transactionsThen), position);
  const rows = listAsOf(services.log, reader, { list: transactionsThen, ...question, position });
  return { ...(await totalsOfRows(rows)), position };
}
