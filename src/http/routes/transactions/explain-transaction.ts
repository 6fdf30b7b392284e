import { ruleRuns } from '../../../projections/rule-runs.ts';
import { ruleVersions } from '../../../projections/rules.ts';
import { runMatches } from '../../../projections/run-matches.ts';
import { syncRuns } from '../../../projections/sync-runs.ts';
import { transactions } from '../../../projections/transactions.ts';
import { explainAutomation } from '../../../queries/explanation.ts';
import { rulesThatLooked } from '../../../queries/rules-that-looked.ts';
import { operation } from '../../core/operation.ts';
import { asOf, identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { conditionOutcomeResource, conditionOutcomeSchema } from '../../resources/condition-outcome.ts';
import { instant } from '../../resources/instants.ts';
import { transactionNowOrThen } from './transaction-of.ts';

const actorSchema = z.strictObject({ type: z.enum(['api-key', 'user', 'operator', 'system']), id: z.string() });

const ruleSchema = z.strictObject({
  ruleId: z.string(),
  name: z.string(),
  version: z.int(),
  snapshotHash: z.string(),
  matched: z.boolean(),
  suppressed: z.boolean(),
  conditions: z.array(conditionOutcomeSchema),
});

const explanationSchema = z
  .strictObject({
    transactionId: z.string(),
    references: z
      .strictObject({
        endToEndId: z.string().optional(),
        mandateId: z.string().optional(),
        creditorId: z.string().optional(),
        customerReference: z.string().optional(),
        bankReference: z.string().optional(),
      })
      .openapi({ description: 'References that parties and banks gave the payment; each only where it is stated.' }),
    recorded: z.strictObject({
      at: instant,
      logPosition: z.string(),
      sync: z.strictObject({
        id: z.string(),
        page: z.int(),
        trigger: z.string().nullable(),
        requestedBy: z.string().nullable(),
        correlationId: z.string().nullable(),
      }),
      connectorLogId: z
        .string()
        .nullable()
        .openapi({ description: "The bank's answer that contained the row; null after its 90 days of retention." }),
    }),
    evaluation: z
      .strictObject({
        evaluatedAt: instant,
        attempt: z.int(),
        rulesDigest: z.string(),
        digestVerified: z.boolean(),
        rules: z.array(ruleSchema),
      })
      .nullable(),
    rules: z
      .array(
        z.strictObject({
          by: z.enum(['live', 'backfill', 'revert']),
          runId: z.string().nullable(),
          at: instant,
          ...ruleSchema.shape,
          attachedIds: z.array(z.string()).openapi({ description: 'The assignments that the rule attached here.' }),
          revokedIds: z.array(z.string()).openapi({ description: 'The assignments that the rule revoked here.' }),
        }),
      )
      .openapi({
        description:
          'Every rule that was ever evaluated on the transaction, oldest evaluation first: by live automation, ' +
          'backfills and reverts.',
      }),
    olderRuns: z
      .boolean()
      .openapi({ description: 'True if there are too many runs to search, so that the oldest are left out.' }),
    history: z.array(
      z.strictObject({
        eventId: z.string(),
        type: z.string(),
        at: instant,
        actor: actorSchema,
        correlationId: z.string(),
      }),
    ),
  })
  .openapi('TransactionExplanation');

export const explainTransactionOperation = operation({
  id: 'explainTransaction',
  method: 'get',
  path: '/banks/transactions/{id}/explanation',
  tag: 'Transactions',
  summary: 'Why a transaction has the references it has',
  description:
    'Each rule that was evaluated, with each condition and the value it compared; the sync and the connector log ' +
    'it came from; and who did what since. As of a moment, a run counts from the page on that reached the ' +
    'transaction where it matched, and once it has ended where it did not.',
  access: 'transactions:read',
  params: z.strictObject({ id: identifier }),
  query: z.strictObject({ asOf }),
  costly: ({ asOf: moment }) => moment !== undefined,
  notFound: 'TRANSACTION_NOT_FOUND',
  result: explanationSchema,
  errors: ['DATE_RANGE_INVALID'],
  reads: [transactions, ruleVersions, syncRuns, ruleRuns, runMatches],
  handle: async ({ services, reader, params, query }) => {
    const seen = await transactionNowOrThen(services, reader, params.id, query.asOf);
    const { document: transaction, events, past } = seen;
    const { tenantId, syncId, syncPage, recordedPosition, createdAt, fetchedAt } = transaction;
    const sync = await reader.get(syncRuns, syncId);
    const explanation = await explainAutomation(services.ruleBook, transaction, events);
    const { looks, older } = await rulesThatLooked(reader, transaction, explanation, past);
    return {
      status: 200,
      position: past?.position ?? null,
      result: {
        transactionId: transaction.id,
        references: transaction.references ?? {},
        recorded: {
          at: createdAt,
          logPosition: recordedPosition,
          sync: {
            id: syncId,
            page: syncPage,
            trigger: sync?.trigger ?? null,
            requestedBy: sync?.requestedBy ?? null,
            correlationId: sync?.correlationId ?? null,
          },
          connectorLogId: (await services.connectorLogs.behindRow(tenantId, syncId, syncPage, fetchedAt)) ?? null,
        },
        evaluation:
          explanation === null
            ? null
            : {
                ...explanation,
                rules: explanation.rules.map((rule) => ({
                  ...rule,
                  conditions: rule.conditions.map(conditionOutcomeResource),
                })),
              },
        rules: looks.map((look) => ({
          ...look,
          attachedIds: [...look.attachedIds],
          revokedIds: [...look.revokedIds],
          conditions: look.conditions.map(conditionOutcomeResource),
        })),
        olderRuns: older,
        history: events.map(({ id: eventId, type, recordedAt: at, metadata }) => {
          const { actor, correlationId } = metadata;
          return { eventId, type, at, actor, correlationId };
        }),
      },
    };
  },
});
