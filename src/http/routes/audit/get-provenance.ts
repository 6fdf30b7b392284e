import { explainConditions } from '../../../deciders/conditions/compile-conditions.ts';
import type { RecordedEvent } from '../../../events/event.ts';
import { streamName } from '../../../log/streams.ts';
import { type AssignmentDocument, assignments } from '../../../projections/assignments.ts';
import { ruleRuns } from '../../../projections/rule-runs.ts';
import { ruleVersionKey, ruleVersions } from '../../../projections/rules.ts';
import { syncRuns } from '../../../projections/sync-runs.ts';
import { type TransactionDocument, transactions } from '../../../projections/transactions.ts';
import type { Reader } from '../../../queries/reader.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { assignmentResource, assignmentSchema } from '../../resources/assignment.ts';
import { conditionOutcomeResource, conditionOutcomeSchema } from '../../resources/condition-outcome.ts';
import { instant } from '../../resources/instants.ts';
import { transactionOf } from '../transactions/transaction-of.ts';

const actor = z.strictObject({ type: z.enum(['api-key', 'user', 'operator', 'system']), id: z.string() });
const deed = z.strictObject({
  eventId: z.string(),
  eventType: z.string(),
  at: instant,
  position: z.string(),
  actor,
  correlationId: z.string(),
});

const provenanceSchema = z
  .strictObject({
    assignment: assignmentSchema,
    attached: deed,
    revoked: deed.nullable(),
    transaction: z.strictObject({ id: z.string(), recorded: deed }),
    sync: z.strictObject({
      id: z.string(),
      page: z.int(),
      trigger: z.string().nullable(),
      requestedBy: z.string().nullable(),
      requestedAt: instant.nullable(),
    }),
    connectorLogId: z
      .string()
      .nullable()
      .openapi({ description: "The bank's answer that contained the row; null after its 90 days of retention." }),
    rule: z
      .strictObject({
        id: z.string(),
        name: z.string(),
        version: z.int(),
        snapshotHash: z.string(),
        writtenBy: z.string(),
        writtenAt: instant,
        conditions: z.array(conditionOutcomeSchema),
      })
      .nullable()
      .openapi({
        description: 'The rule as it was, with the values its conditions compared; null if attached by hand.',
      }),
    run: z
      .strictObject({ id: z.string(), type: z.string(), requestedBy: z.string(), requestedAt: instant })
      .nullable()
      .openapi({
        description: 'The backfill or revert that attached it; null if attached by live automation or by hand.',
      }),
  })
  .openapi('AssignmentProvenance');

export const getProvenanceOperation = operation({
  id: 'getProvenance',
  method: 'get',
  path: '/banks/audit/provenance/{assignmentId}',
  tag: 'Audit',
  summary: 'Where an assignment comes from: transaction, sync, bank answer, rule with its compared values, and actor',
  access: 'audit:read',
  params: z.strictObject({ assignmentId: identifier }),
  notFound: 'ASSIGNMENT_NOT_FOUND',
  result: provenanceSchema,
  reads: [assignments, transactions, ruleVersions, syncRuns, ruleRuns],
  handle: async ({ services, reader, params }) => {
    const assignment = await reader.get(assignments, params.assignmentId);
    if (assignment === undefined) throw new ApiError('ASSIGNMENT_NOT_FOUND');
    const transaction = await transactionOf(reader, assignment.transactionId);
    const { tenantId, id, syncId, syncPage, fetchedAt } = transaction;
    const events = await services.log.readStreamPositions(streamName('bankTransaction', tenantId, id));
    const [recorded] = events;
    const attached = eventOf(events, 'TransactionAssignmentAttached', assignment.id);
    if (recorded === undefined || attached === undefined) throw new ApiError('ASSIGNMENT_NOT_FOUND');
    const revoked = eventOf(events, 'TransactionAssignmentRevoked', assignment.id);
    const sync = await reader.get(syncRuns, syncId);
    return {
      status: 200,
      result: {
        assignment: assignmentResource(assignment),
        attached: deedOf(attached),
        revoked: revoked === undefined ? null : deedOf(revoked),
        transaction: { id, recorded: deedOf(recorded) },
        sync: {
          id: syncId,
          page: syncPage,
          trigger: sync?.trigger ?? null,
          requestedBy: sync?.requestedBy ?? null,
          requestedAt: sync?.requestedAt ?? null,
        },
        connectorLogId: (await services.connectorLogs.behindRow(tenantId, syncId, syncPage, fetchedAt)) ?? null,
        rule: await ruleBehind(reader, assignment, transaction),
        run: await runBehind(reader, assignment),
      },
    };
  },
});

function eventOf(events: readonly RecordedEvent[], type: string, assignmentId: string): RecordedEvent | undefined {
  return events.find(
    (event) => event.type === type && (event.data as { assignmentId?: string }).assignmentId === assignmentId,
  );
}

function deedOf({ id: eventId, type: eventType, recordedAt: at, position, metadata }: RecordedEvent) {
  const { actor, correlationId } = metadata;
  return { eventId, eventType, at, position, actor, correlationId };
}

async function ruleBehind(reader: Reader, assignment: AssignmentDocument, transaction: TransactionDocument) {
  if (assignment.ruleId === null || assignment.ruleVersion === null) return null;
  const rule = await reader.get(ruleVersions, ...ruleVersionKey(assignment.ruleId, assignment.ruleVersion));
  if (rule === undefined) return null;
  const { id, name, version, snapshotHash, updatedBy: writtenBy, updatedAt: writtenAt } = rule;
  const conditions = explainConditions(rule.conditions, transaction).map(conditionOutcomeResource);
  return { id, name, version, snapshotHash, writtenBy, writtenAt, conditions };
}

async function runBehind(reader: Reader, { runId }: AssignmentDocument) {
  const run = runId === null ? undefined : await reader.get(ruleRuns, runId);
  if (run === undefined) return null;
  const { id, type, createdBy: requestedBy, createdAt: requestedAt } = run;
  return { id, type, requestedBy, requestedAt };
}
