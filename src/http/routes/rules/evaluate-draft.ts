import { transactions } from '../../../projections/transactions.ts';
import { type DraftVerdict, evaluateDraft } from '../../../queries/evaluate-draft.ts';
import { defined } from '../../../shared/defined.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier, scopeFields } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { conditionOutcomeResource, conditionOutcomeSchema } from '../../resources/condition-outcome.ts';
import {
  includedTransactions,
  includeTransactions,
  refuseTransactions,
  transactionsIncluded,
} from '../transactions/include-transactions.ts';
import { checkedConditions, optionalRuleFields, ruleFields } from './rule-bodies.ts';

const verdictSchema = z
  .strictObject({ transactionId: z.string(), conditions: z.array(conditionOutcomeSchema) })
  .openapi('DraftVerdict');

const DEFAULT_SHOWN = 20;

/** A draft has no start date: it is evaluated against present transactions. */
const { effectiveFrom, ...draftFields } = optionalRuleFields;

export const evaluateDraftOperation = operation({
  id: 'evaluateDraftRule',
  method: 'post',
  path: '/banks/transaction-rules/evaluate',
  tag: 'Rules',
  summary: 'Try a draft rule on a scope or on given transactions; nothing is stored',
  description: 'Evaluates at most 10,000 candidates, newest first; `complete` says whether that was the whole scope.',
  costly: true,
  access: 'rules:write',
  query: z.strictObject(includeTransactions),
  body: z.strictObject({
    ...draftFields,
    conditions: ruleFields.conditions,
    transactionIds: z.array(identifier).min(1).max(200).optional(),
    scope: z.strictObject(scopeFields).optional(),
    show: z
      .int()
      .min(0)
      .max(200)
      .default(DEFAULT_SHOWN)
      .openapi({ description: 'How many matches and misses to return.' }),
  }),
  result: z
    .strictObject({
      candidateCount: z.int().min(0),
      matchedCount: z.int().min(0),
      complete: z.boolean(),
      matches: z.array(verdictSchema),
      misses: z.array(verdictSchema),
      unknownTransactionIds: z.array(z.string()),
      ...includedTransactions,
    })
    .openapi('DraftEvaluation'),
  errors: ['RULE_TOO_COMPLEX', 'RULE_CONDITION_INVALID', 'DATE_RANGE_INVALID'],
  reads: [transactions],
  handle: async ({ services, caller, reader, body, query }) => {
    refuseTransactions(caller, query);
    const { scope = {}, transactionIds } = body;
    if (scope.from !== undefined && scope.to !== undefined && scope.from > scope.to) {
      throw new ApiError('DATE_RANGE_INVALID');
    }
    const conditions = checkedConditions(body.conditions);
    const among = transactionIds === undefined ? { scope: defined(scope) } : { transactionIds };
    const { matches, misses, unknownTransactionIds, ...counts } = await evaluateDraft(
      reader,
      conditions,
      among,
      body.show,
    );
    return {
      status: 200,
      result: {
        ...counts,
        matches: matches.map(verdictResource),
        misses: misses.map(verdictResource),
        unknownTransactionIds: [...unknownTransactionIds],
        ...(await transactionsIncluded(services, query, () =>
          [...matches, ...misses].map(({ transaction }) => transaction),
        )),
      },
    };
  },
});

function verdictResource({ transaction, conditions }: DraftVerdict): z.input<typeof verdictSchema> {
  return { transactionId: transaction.id, conditions: conditions.map(conditionOutcomeResource) };
}
