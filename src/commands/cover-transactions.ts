import pLimit from 'p-limit';
import {
  type BankTransactionState,
  bankTransaction,
  evaluateAutomation,
  type MatchedRule,
} from '../deciders/bank-transaction.ts';
import { isRefusal } from '../deciders/decider.ts';
import {
  afterFacts,
  coverageResult,
  coverByRun,
  type RunAssignmentId,
  undoingResult,
  undoOnTransaction,
} from '../deciders/run-on-transaction.ts';
import type { BankTransactionFact } from '../events/registry.ts';
import type { RunResult } from '../events/rule-run.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { computedId } from '../shared/ids.ts';
import type { Evaluation } from './change-transaction.ts';
import { type CommandContext, executeInBackground, metadataFor } from './command.ts';
import { fold } from './stream-state.ts';

const AT_ONCE = 64;

/**
 * After a failure nothing more is started, and what was started is awaited: the next worker must find all of it in the
 * log.
 */
async function manyAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const atOnce = pLimit(AT_ONCE);
  const failures: unknown[] = [];
  const results: Result[] = [];
  const one = async (item: Item, index: number): Promise<void> => {
    if (failures.length > 0) return;
    try {
      results[index] = await work(item);
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(items.map((item, index) => atOnce(() => one(item, index))));
  if (failures.length > 0) throw failures[0];
  return results;
}

/** A candidate as the read model has it, which may be outdated. */
export type Candidate = {
  readonly transactionId: string;
  readonly revision: number;
  readonly state: BankTransactionState;
  readonly matched: boolean;
  /** The pending live evaluation, which is then recorded first, in the same append; null for none. */
  readonly due: Evaluation | null;
};

function assignmentIds(runId: string, transactionId: string): RunAssignmentId {
  return (part) => computedId('run assignment', runId, transactionId, part);
}

/**
 * Does a backfill's work on a page of candidates and gives what was done to each; those that neither match nor were
 * changed are left out. Candidates whose read model is current are appended together; one that has changed since is
 * read from the log and decided again. Repeated after a crash, it changes nothing and gives the same results.
 * @throws ConcurrencyError, LogUnavailable
 */
export async function coverTransactions(
  context: CommandContext,
  run: { readonly runId: string; readonly rule: MatchedRule },
  candidates: readonly Candidate[],
): Promise<RunResult[]> {
  const at = isoTime(context.clock.now());
  const coverageOf = ({ transactionId, matched }: Candidate) => {
    return { ...run, by: 'backfill', at, matched, assignmentId: assignmentIds(run.runId, transactionId) } as const;
  };
  const results = new Map<string, RunResult | null>();
  const toAppend: { candidate: Candidate; facts: readonly BankTransactionFact[] }[] = [];
  const toRead: Candidate[] = [];
  for (const candidate of candidates) {
    if (candidate.due !== null) {
      toRead.push(candidate);
      continue;
    }
    const facts = coverByRun(candidate.state, coverageOf(candidate));
    if (facts.length > 0) toAppend.push({ candidate, facts });
    else results.set(candidate.transactionId, resultAfter(candidate, candidate.state, run));
  }
  const appended = await context.log.appendMany(
    toAppend.map(({ candidate, facts }) => ({
      stream: streamName('bankTransaction', context.tenantId, candidate.transactionId),
      expected: candidate.revision,
      events: facts.map((fact) => ({
        id: context.newId(),
        ...fact,
        metadata: metadataFor(context, fact.type, context.companyId),
      })),
    })),
  );
  for (const [index, { candidate, facts }] of toAppend.entries()) {
    if (appended[index]?.outcome === 'conflict') toRead.push(candidate);
    else results.set(candidate.transactionId, resultAfter(candidate, afterFacts(candidate.state, facts), run));
  }
  await manyAtOnce(toRead, async (candidate) => {
    const after = await decideAnew(context, candidate, (state) => coverByRun(state, coverageOf(candidate)));
    results.set(candidate.transactionId, resultAfter(candidate, after, run));
  });
  return candidates.flatMap(({ transactionId }) => results.get(transactionId) ?? []);
}

function resultAfter(
  { transactionId, matched }: Candidate,
  after: BankTransactionState,
  run: { readonly runId: string; readonly rule: MatchedRule },
): RunResult | null {
  return coverageResult(after, transactionId, { ...run, matched });
}

async function decideAnew(
  context: CommandContext,
  { transactionId, due }: Pick<Candidate, 'transactionId' | 'due'>,
  decide: (state: BankTransactionState) => readonly BankTransactionFact[],
): Promise<BankTransactionState> {
  const outcome = await executeInBackground(context, {
    stream: streamName('bankTransaction', context.tenantId, transactionId),
    decider: bankTransaction,
    notFound: 'TRANSACTION_NOT_FOUND',
    decide(state) {
      const evaluatedAt = isoTime(context.clock.now());
      const owed = due === null ? [] : evaluateAutomation(state, { ...due, evaluatedAt, newId: context.newId });
      return isRefusal(owed) ? owed : [...owed, ...decide(afterFacts(state, owed))];
    },
  });
  return outcome.accepted ? outcome.state : bankTransaction.initialState;
}

/**
 * Takes back what a run did to a page of transactions, and gives what was done to each. @throws ConcurrencyError,
 * LogUnavailable
 */
export async function undoOnTransactions(
  context: CommandContext,
  runId: string,
  done: readonly Pick<RunResult, 'transactionId' | 'attachedIds' | 'revokedIds'>[],
): Promise<RunResult[]> {
  const at = isoTime(context.clock.now());
  return manyAtOnce(done, async ({ transactionId, attachedIds, revokedIds }) => {
    const assignmentId = assignmentIds(runId, transactionId);
    const undoing = { runId, by: 'revert', at, assignmentId, attachedIds, revokedIds } as const;
    const after = await decideAnew(context, { transactionId, due: null }, (state) => undoOnTransaction(state, undoing));
    return undoingResult(after, transactionId, runId);
  });
}

/** A transaction that a run may have processed, and whether the run's rule matches it; a revert's never does. */
export type Touched = { readonly transactionId: string; readonly matched: boolean };

/**
 * What a run has done so far to transactions of a page it has not put on record, from their own streams: the read model
 * may not show it yet. Those it has not changed are left out.
 * @throws LogUnavailable
 */
export async function doneOnTransactions(
  context: CommandContext,
  run: { readonly runId: string; readonly rule: MatchedRule | null },
  touched: readonly Touched[],
): Promise<RunResult[]> {
  const results = await manyAtOnce(touched, async ({ transactionId, matched }) => {
    const stream = streamName('bankTransaction', context.tenantId, transactionId);
    const after = fold(bankTransaction, await context.log.readStream(stream));
    const { runId, rule } = run;
    return rule === null
      ? undoingResult(after, transactionId, runId)
      : coverageResult(after, transactionId, { runId, rule, matched });
  });
  const changed = results.filter((result) => result !== null);
  return changed.filter(({ attachedIds, revokedIds }) => attachedIds.length + revokedIds.length > 0);
}
