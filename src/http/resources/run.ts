import { RUN_OUTCOMES } from '../../events/rule-run.ts';
import type { RuleRunDocument } from '../../projections/rule-runs.ts';
import type { RunMatchDocument } from '../../projections/run-matches.ts';
import type { Lease } from '../../readstore/read-store.ts';
import { z } from '../core/zod.ts';
import { instant, withoutNulls } from './instants.ts';

export const runSchema = z
  .strictObject({
    id: z.string(),
    companies: z.string(),
    ruleId: z.string(),
    ruleVersion: z.int().min(1),
    type: z.enum(['preview', 'backfill', 'revert']),
    status: z.enum(['pending', 'processing', 'completed', 'retry', 'dead', 'cancelled']),
    scope: z.strictObject({
      from: instant.optional(),
      to: instant.optional(),
      accountIds: z.array(z.string()).optional(),
      bankCodes: z.array(z.string()).optional(),
    }),
    candidateCount: z.int().min(0).optional().openapi({ description: 'Known once the run has started.' }),
    processedCount: z.int().min(0).openapi({ description: 'How many candidates have been processed.' }),
    matchedCount: z.int().min(0).openapi({
      description: 'Transactions that match, except those from which a person revoked what the rule attached.',
    }),
    attachedCount: z.int().min(0).openapi({ description: 'Assignments that the run attached; 0 for a preview.' }),
    revokedCount: z.int().min(0).openapi({
      description: 'Assignments that the run revoked; for a preview, those that its backfill would revoke.',
    }),
    ruleSnapshotHash: z.string(),
    previewRunId: z.string().optional(),
    revertsRunId: z.string().optional().openapi({ description: 'For a revert: the run that it reverts.' }),
    usedByRunId: z
      .string()
      .optional()
      .openapi({ description: 'For a preview: its backfill. For a backfill or revert: the run that reverted it.' }),
    sampleTransactionIds: z.array(z.string()).max(20),
    attempts: z.int().min(0),
    failureCount: z.int().min(0),
    lastError: z.string().optional(),
    startedAt: instant.optional(),
    completedAt: instant.optional(),
    createdAt: instant,
    updatedAt: instant,
    scopeHash: z.string(),
    snapshotMaxId: z.string().openapi({
      description: 'Only transactions recorded up to this log position are candidates.',
    }),
    cursorId: z.string().optional(),
    nextAttemptAt: instant.optional(),
    lockOwner: z.string().optional(),
    lockUntil: instant.optional(),
    createdBy: z.string(),
  })
  .openapi('RuleRun');

/** `lease` belongs to the worker that holds the run at `now`, if any. */
export function runResource(run: RuleRunDocument, lease: Lease | undefined, now: string): z.input<typeof runSchema> {
  const { id, companyId, ruleId, ruleVersion, type, status, ruleSnapshotHash, sampleTransactionIds } = run;
  const { processedCount, matchedCount, attachedCount, revokedCount, attempts, failureCount } = run;
  const { createdAt, updatedAt, scopeHash, snapshotMaxId, createdBy, scope } = run;
  const held = run.open && lease !== undefined && lease.until > now ? lease : undefined;
  return {
    id,
    companies: companyId,
    ruleId,
    ruleVersion,
    type,
    status,
    scope: {
      ...withoutNulls({ from: scope.from, to: scope.to }),
      ...(scope.accountIds === null ? {} : { accountIds: [...scope.accountIds] }),
      ...(scope.bankCodes === null ? {} : { bankCodes: [...scope.bankCodes] }),
    },
    ...(run.candidateCount === null ? {} : { candidateCount: run.candidateCount }),
    processedCount,
    matchedCount,
    attachedCount,
    revokedCount,
    ruleSnapshotHash,
    sampleTransactionIds: [...sampleTransactionIds],
    attempts,
    failureCount,
    createdAt,
    updatedAt,
    scopeHash,
    snapshotMaxId,
    createdBy,
    ...withoutNulls({
      previewRunId: run.previewRunId,
      revertsRunId: run.revertsRunId,
      usedByRunId: run.usedByRunId,
      lastError: run.lastError,
      startedAt: run.startedAt,
      completedAt: run.completedAt,
      cursorId: run.cursorId,
      nextAttemptAt: run.nextAttemptAt,
      lockOwner: held?.owner ?? null,
      lockUntil: held?.until ?? null,
    }),
  };
}

export const runMatchSchema = z
  .strictObject({
    transactionId: z.string(),
    outcome: z.enum(RUN_OUTCOMES).openapi({
      description:
        'What was done, or in a preview would be done. `attached`; `already_attached`: nothing was missing; ' +
        '`replaced`: attached and ' +
        'revoked; `revoked`: the rule no longer matches; `suppressed`: a person had revoked what this rule ' +
        'attached; `kept`: a revert left it ' +
        'because it had changed since.',
    }),
    attachedIds: z.array(z.string()),
    revokedIds: z.array(z.string()),
    at: instant,
  })
  .openapi('RuleRunMatch');

export function runMatchResource(match: RunMatchDocument): z.input<typeof runMatchSchema> {
  const { transactionId, outcome, attachedIds, revokedIds, at } = match;
  return { transactionId, outcome, attachedIds: [...attachedIds], revokedIds: [...revokedIds], at };
}
