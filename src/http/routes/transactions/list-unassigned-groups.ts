import { transactionsThen } from '../../../audit/lists-then.ts';
import { transactions } from '../../../projections/transactions.ts';
import { GROUPED_BY, unassignedGroups } from '../../../projections/unassigned-groups.ts';
import { transactionConditions, transactionSort } from '../../../queries/transaction-filter.ts';
import {
  countGroups,
  GROUP_SORTS,
  groupsAreExact,
  MOST_ROWS_GROUPED,
  pageOfGathered,
  pageOfGroups,
  type UnassignedGroup,
} from '../../../queries/unassigned-groups.ts';
import { listOf } from '../../core/envelope.ts';
import { jsonNumber } from '../../core/json-number.ts';
import { operation } from '../../core/operation.ts';
import { asOf, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pacedRows } from '../../paging/paced-rows.ts';
import { pageBy } from '../../paging/page.ts';
import { positionOfMoment } from '../../paging/page-as-of.ts';
import { rowsThen } from '../../paging/rows-then.ts';
import { refuseEmptyRanges, transactionFilters } from './filters.ts';

const groupSchema = z
  .strictObject({
    by: z.enum(GROUPED_BY),
    key: z.string().openapi({ description: 'For `counterpartyKey` or `descriptionKey` of the list of transactions.' }),
    companies: z.string(),
    name: z.string().openapi({
      description: 'The name of the counterparty; for descriptions the words that they share; "" where there is none.',
    }),
    iban: z
      .string()
      .nullable()
      .openapi({ description: 'Of the counterparty, "" where unknown; null for descriptions.' }),
    idNo: z
      .string()
      .nullable()
      .openapi({ description: 'Of the counterparty, "" where unknown; null for descriptions.' }),
    count: z.int().min(1),
    sums: z.array(z.strictObject({ currency: z.string(), in: z.number(), out: z.number() })),
    sampleTransactionIds: z.array(z.string()).openapi({ description: 'Up to five of its rows.' }),
  })
  .openapi('UnassignedGroup');

/** An assignment, and what only assigned rows have, excludes every row. */
const { assigned, ruleId, referenceKey, tag, ...filters } = transactionFilters;

export const listUnassignedGroupsOperation = operation({
  id: 'listUnassignedGroups',
  method: 'get',
  path: '/banks/transactions/groups',
  tag: 'Transactions',
  summary: 'Transactions without any assignment, grouped by counterparty or by likeness of their descriptions',
  description:
    'A counterparty is the same where name, IBAN and identity number are. Descriptions are alike whose first four ' +
    'words are the same, leaving out whatever holds a digit; case and punctuation do not matter. A group belongs to ' +
    'one company; its rows are `GET /banks/transactions?assigned=false&counterpartyKey=…` (or `descriptionKey`). Rows ' +
    'that the bank withdrew do not count. Without a filter the groups hold all rows, however many; with one, the ' +
    `newest ${MOST_ROWS_GROUPED.toLocaleString('en')} rows found are grouped, and \`atLeast\` is true where there are ` +
    'more. As of a moment these are the newest rows without an assignment then, as many as are found among some ' +
    'thousand that had none or changed since. Groups change while one pages by `-count`, the default; `name` is an order that stays.',
  costly: ({ by, sort, limit, cursor, assigned: _, count, expand, ...filter }) => Object.keys(filter).length > 0,
  access: 'transactions:read',
  query: z.strictObject({
    by: z.enum(GROUPED_BY),
    ...filters,
    assigned: z
      .enum(['false'])
      .optional()
      .openapi({ description: 'May be given as in the list; rows with an assignment are in no group.' }),
    sort: z.enum(GROUP_SORTS).optional().openapi({ default: '-count' }),
    asOf,
    ...paging,
  }),
  result: listOf(groupSchema).extend({
    atLeast: z.boolean().openapi({ description: 'True if more rows were found than were grouped.' }),
  }),
  errors: ['DATE_RANGE_INVALID', 'TRANSACTION_AMOUNT_RANGE_INVALID'],
  reads: [transactions, unassignedGroups],
  handle: async (call) => {
    const { services, reader, query } = call;
    const {
      by,
      sort = '-count',
      limit: _,
      cursor: __,
      assigned: ___,
      count: ____,
      expand,
      asOf: moment,
      ...filter
    } = query;
    refuseEmptyRanges(filter);
    const then = moment === undefined ? null : await positionOfMoment(services, reader.tenantId, moment);
    let atLeast = false;
    const isWhole = then === null && Object.keys(filter).length === 0 && (await groupsAreExact(reader));
    let gathered = 0;
    const pageAfter = async (part: { limit: number; after?: readonly (string | number)[] }) => {
      if (isWhole) return pageOfGroups(reader, { by, sort, ...part });
      const question = {
        filter: transactionConditions({ ...filter, assigned: false }),
        sort: transactionSort('-transactionDate'),
      };
      const past = then === null ? null : rowsThen(call, transactionsThen, { ...question, position: then });
      const rows = past?.rows ?? pacedRows(call, transactions, question);
      const found = await pageOfGathered(rows, { by, sort, ...part });
      gathered = found.groups;
      atLeast = found.atLeast || (past?.wasCut() ?? false);
      return found;
    };
    const count = async (most: number) => (isWhole ? countGroups(reader, by, most) : gathered);
    const page = await pageBy(call, 'listUnassignedGroups', pageAfter, count);
    const position = then ?? (await services.positionOf(isWhole ? unassignedGroups.name : transactions.name));
    return { status: 200, result: { ...page, items: page.items.map(groupResource), atLeast }, position };
  },
});

function groupResource({ by, key, companyId, name, iban, idNo, count, sums, sampleIds }: UnassignedGroup) {
  return {
    ...{ by, key, companies: companyId, name, iban, idNo, count },
    sums: sums.map((sum) => ({ currency: sum.currency, in: jsonNumber(sum.in), out: jsonNumber(sum.out) })),
    sampleTransactionIds: [...sampleIds],
  };
}
