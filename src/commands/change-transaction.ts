import {
  attachManually,
  type BankTransactionOutcome,
  type BankTransactionState,
  bankTransaction,
  evaluateAutomation,
  failAutomation,
  type MatchedRule,
  retryAutomation as retry,
  revokeAssignment as revoke,
} from '../deciders/bank-transaction.ts';
import type { Reference } from '../events/fields.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { type CommandContext, execute, type Outcome } from './command.ts';

type Done = Promise<Outcome<BankTransactionState>>;

function onTransaction(
  context: CommandContext,
  transactionId: string,
  decide: (state: BankTransactionState, now: string) => BankTransactionOutcome,
): Done {
  const now = isoTime(context.clock.now());
  return execute(context, {
    stream: streamName('bankTransaction', context.tenantId, transactionId),
    decider: bankTransaction,
    notFound: 'TRANSACTION_NOT_FOUND',
    decide: (state) => decide(state, now),
  });
}

export function retryAutomation(context: CommandContext, transactionId: string): Done {
  return onTransaction(context, transactionId, retry);
}

export function attachAssignment(
  context: CommandContext,
  transactionId: string,
  assignment: { reference: Reference; tags: readonly string[] },
): Done {
  const assignmentId = context.newId();
  return onTransaction(context, transactionId, (state, attachedAt) =>
    attachManually(state, { ...assignment, assignmentId, attachedAt, actorId: context.actor.id }),
  );
}

export function revokeAssignment(
  context: CommandContext,
  transactionId: string,
  revocation: { assignmentId: string; reason: string | null },
): Done {
  return onTransaction(context, transactionId, (state, revokedAt) => revoke(state, { ...revocation, revokedAt }));
}

/** What live automation found for one transaction; nothing happens when it is not waiting any more. */
export function recordEvaluation(
  context: CommandContext,
  transactionId: string,
  evaluation: { rulesInForce: number; rulesDigest: string; matched: readonly MatchedRule[] },
): Done {
  return onTransaction(context, transactionId, (state, evaluatedAt) =>
    evaluateAutomation(state, { ...evaluation, evaluatedAt, newId: context.newId }),
  );
}

/** @param delayMs after how many failed attempts to wait how long */
export function recordEvaluationFailure(
  context: CommandContext,
  transactionId: string,
  failure: { code: string; message: string; delayMs: (failedAttempts: number) => number },
): Done {
  const nowMs = context.clock.now();
  return onTransaction(context, transactionId, (state, failedAt) =>
    failAutomation(state, {
      failedAt,
      nextAttemptAt: isoTime(nowMs + failure.delayMs(state.automation.attempts + 1)),
      code: failure.code,
      message: failure.message,
    }),
  );
}
