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
    processedCount: z.int().min(0).openapi({ description: 'How many of the candidates it has come to.' }),
    matchedCount: z
      .int()
      .min(0)
      .openapi({ description: 'Transactions that match and that no person has sent the rule away from.' }),
    attachedCount: z.int().min(0).openapi({ description: 'Assignments the run attached; 0 for a preview.' }),
    revokedCount: z
      .int()
      .min(0)
      .openapi({ description: 'Assignments the run revoked; of a preview, that its backfill would.' }),
    ruleSnapshotHash: z.string(),
    previewRunId: z.string().optional(),
    revertsRunId: z.string().optional().openapi({ description: 'Of a revert: the run it takes back.' }),
    usedByRunId: z
      .string()
      .optional()
      .openapi({ description: 'Of a preview: its backfill; of a backfill or revert: what reverted it.' }),
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
      description: 'The log position up to which a transaction must have been recorded to be a candidate.',
    }),
    cursorId: z.string().optional(),
    nextAttemptAt: instant.optional(),
    lockOwner: z.string().optional(),
    lockUntil: instant.optional(),
    createdBy: z.string(),
  })
  .openapi('RuleRun');

/** `lease` is that of the worker that holds the run, if one does at `now`. */
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
        'What was done, or in a preview would be: `attached`; `already_attached`: the rule held all it wants here; `replaced`: attached and ' +
        'revoked; `revoked`: the rule no longer matches; `suppressed`: a person had revoked what this rule attached; `kept`: a revert found it ' +
        'changed since and left it.',
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
