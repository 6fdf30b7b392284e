import {
  attachManually,
  type BankTransactionOutcome,
  type BankTransactionState,
  bankTransaction,
  decideRetryAutomation,
  decideRevokeAssignment,
  evaluateAutomation,
  failAutomation,
  type MatchedRule,
} from '../deciders/bank-transaction.ts';
import { isRefusal } from '../deciders/decider.ts';
import type { Reference } from '../events/fields.ts';
import type { EventData } from '../events/registry.ts';
import type { Append, EventLog } from '../log/log.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { type CommandContext, execute, metadataFor, type Outcome } from './command.ts';

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
  return onTransaction(context, transactionId, decideRetryAutomation);
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
  return onTransaction(context, transactionId, (state, revokedAt) =>
    decideRevokeAssignment(state, { ...revocation, revokedAt }),
  );
}

export type Evaluation = {
  readonly rulesInForce: number;
  readonly rulesDigest: string;
  readonly matched: readonly MatchedRule[];
};

/** Records what live automation found for one transaction; nothing happens once it no longer waits for automation. */
export function recordEvaluation(context: CommandContext, transactionId: string, evaluation: Evaluation): Done {
  return onTransaction(context, transactionId, (state, evaluatedAt) =>
    evaluateAutomation(state, { ...evaluation, evaluatedAt, newId: context.newId }),
  );
}

export type FreshEvaluation = Evaluation & {
  readonly context: CommandContext;
  /** The only event the transaction has as far as is known: its state needs no reading. */
  readonly recorded: EventData<'TransactionRecorded'>;
};

/** How many references the rules that match ask for, each as often as it is asked for. */
export function referencesAsked({ matched }: Evaluation): number {
  return matched.reduce((sum, { actions }) => sum + actions.length, 0);
}

/** With more assignments, an evaluation is appended by itself: many such ones at once are too much for memory. */
const MOST_TOGETHER = 50;

/**
 * The same for transactions that, as far as the read model knows, have only been recorded: appended together, each at
 * its stream's second place, so one that has moved on meanwhile is a conflict and left to `recordEvaluation`, and so is
 * one with very many assignments.
 * @returns for each the position, or null for what is left
 */
export async function recordFreshEvaluations(
  log: EventLog,
  evaluations: readonly FreshEvaluation[],
): Promise<(string | null)[]> {
  const positions = new Array<string | null>(evaluations.length).fill(null);
  const appends: Append[] = [];
  const places: number[] = [];
  for (const [index, { context, recorded, ...evaluation }] of evaluations.entries()) {
    if (referencesAsked(evaluation) >= MOST_TOGETHER) continue;
    const state = bankTransaction.evolve(bankTransaction.initialState, { type: 'TransactionRecorded', data: recorded });
    const evaluatedAt = isoTime(context.clock.now());
    const facts = evaluateAutomation(state, { ...evaluation, evaluatedAt, newId: context.newId });
    if (isRefusal(facts)) throw new RangeError(`a recorded transaction was refused: ${facts.refused}`);
    const events = facts.map((fact) => ({
      id: context.newId(),
      ...fact,
      metadata: metadataFor(context, fact.type, context.companyId),
    }));
    appends.push({
      stream: streamName('bankTransaction', context.tenantId, recorded.transactionId),
      expected: 0,
      events,
    });
    places.push(index);
  }
  for (const [index, result] of (await log.appendMany(appends)).entries()) {
    const place = places[index];
    if (place !== undefined && result.outcome === 'appended') positions[place] = result.position;
  }
  return positions;
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
