import { z } from 'zod';
import { storedConditions } from './conditions.ts';
import { count, failure, hash, id, instant } from './fields.ts';
import { ruleAction, ruleTags } from './transaction-rule.ts';

/** Null: no restriction. `from` is inclusive, `to` exclusive; both are compared with the transaction's date. */
export const runScope = z.strictObject({
  from: instant.nullable(),
  to: instant.nullable(),
  accountIds: z.array(id).nullable(),
  bankCodes: z.array(id).nullable(),
});

export type RunScope = z.infer<typeof runScope>;

/**
 * What a run did to one transaction, or, in a preview, what a backfill would do. `suppressed`: a person had revoked the
 * rule's assignment. `kept`: a revert found that it had been changed since and left it.
 */
export const RUN_OUTCOMES = ['attached', 'already_attached', 'replaced', 'revoked', 'suppressed', 'kept'] as const;

const runResult = z.strictObject({
  transactionId: id,
  outcome: z.enum(RUN_OUTCOMES),
  attachedIds: z.array(id),
  revokedIds: z.array(id),
});

export type RunResult = z.infer<typeof runResult>;

/**
 * Streams `ruleRun-{tenant}_{id}`: one preview, backfill or revert. It holds the rule as it was at the request, so that
 * a later edit changes nothing, and its candidates are those recorded up to `snapshotMaxId`, a position of the log.
 */
export const ruleRunEvents = {
  RunRequested: {
    version: 1,
    schema: z.strictObject({
      runId: id,
      type: z.enum(['preview', 'backfill', 'revert']),
      ruleId: id,
      ruleVersion: z.int().min(1),
      ruleSnapshotHash: hash,
      conditions: storedConditions,
      actions: z.array(ruleAction).min(1).max(5),
      tags: ruleTags,
      scope: runScope,
      /** SHA-256 of the canonical JSON of company and scope. */
      scopeHash: hash,
      snapshotMaxId: z.string().max(64),
      /** Numbers the rule's backfills and reverts, of which one runs at a time; null for a preview. */
      ordinal: z.int().min(1).nullable(),
      previewRunId: id.nullable(),
      revertsRunId: id.nullable(),
      requestedAt: instant,
    }),
  },
  RunStarted: { version: 1, schema: z.strictObject({ startedAt: instant, candidateCount: count }) },
  RunPageDone: {
    version: 1,
    schema: z.strictObject({
      page: z.int().min(1),
      /** Where the next page begins. */
      cursorId: z.string().min(1).max(400),
      candidates: count,
      /** Transactions that match and are not suppressed. */
      matched: count,
      /** Assignments, not transactions. */
      attached: count,
      revoked: count,
      /** Candidates that match, matched before, or were changed; any other candidate does not match. */
      results: z.array(runResult),
      doneAt: instant,
    }),
  },
  RunAttemptFailed: {
    version: 1,
    schema: z.strictObject({ attempt: z.int().min(1), failedAt: instant, nextAttemptAt: instant, ...failure }),
  },
  RunDied: { version: 1, schema: z.strictObject({ attempt: z.int().min(1), failedAt: instant, ...failure }) },
  RunCancelRequested: { version: 1, schema: z.strictObject({ requestedAt: instant }) },
  RunCancelled: { version: 1, schema: z.strictObject({ cancelledAt: instant }) },
  RunCompleted: { version: 1, schema: z.strictObject({ completedAt: instant }) },
  /** On a preview: its backfill; on a backfill or revert: the run that reverts it. Recorded once. */
  RunUsed: { version: 1, schema: z.strictObject({ byRunId: id, usedAt: instant }) },
} as const;
