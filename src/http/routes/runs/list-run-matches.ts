import { RUN_OUTCOMES } from '../../../events/rule-run.ts';
import { ruleRuns } from '../../../projections/rule-runs.ts';
import { runMatches } from '../../../projections/run-matches.ts';
import { transactions } from '../../../projections/transactions.ts';
import type { Condition } from '../../../readstore/read-store.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { identifier, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { runMatchResource, runMatchSchema } from '../../resources/run.ts';
import {
  includedTransactions,
  includeTransactions,
  refuseTransactions,
  transactionsIncluded,
} from '../transactions/include-transactions.ts';
import { runOf } from './run-of.ts';

export const listRunMatchesOperation = operation({
  id: 'listRuleRunMatches',
  method: 'get',
  path: '/banks/rule-runs/{id}/matches',
  tag: 'Rule runs',
  summary: 'What the run did to each transaction, or why it did nothing, in processing order',
  description: 'Candidates that are not listed did not match and were not changed.',
  access: 'rules:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'RUN_NOT_FOUND',
  query: z.strictObject({ outcome: z.enum(RUN_OUTCOMES).optional(), ...paging, ...includeTransactions }),
  result: listOf(runMatchSchema).extend(includedTransactions),
  reads: [ruleRuns, runMatches, transactions],
  handle: async (call) => {
    refuseTransactions(call.caller, call.query);
    const run = await runOf(call.reader, call.params.id);
    const { outcome } = call.query;
    const filter: Condition[] = [{ field: 'runId', op: 'eq', value: run.id }];
    if (outcome !== undefined) filter.push({ field: 'outcome', op: 'eq', value: outcome });
    const page = await pageOf(call, `listRuleRunMatches/${run.id}`, runMatches, {
      filter,
      sort: [{ field: 'ordinal', direction: 'asc' }],
    });
    const ids = page.items.map(({ transactionId }) => transactionId);
    const included = await transactionsIncluded(call.services, call.query, () => call.reader.many(transactions, ids));
    return { status: 200, result: { ...page, items: page.items.map(runMatchResource), ...included } };
  },
});
