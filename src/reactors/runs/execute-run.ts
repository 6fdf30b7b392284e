import type { CommandContext } from '../../commands/command.ts';
import { coverTransactions, undoOnTransactions } from '../../commands/cover-transactions.ts';
import { markUsed } from '../../commands/rule-runs.ts';
import { openRunWork, type RunWork } from '../../commands/run-work.ts';
import type { MatchedRule } from '../../deciders/bank-transaction.ts';
import { type CompiledConditions, compileConditions } from '../../deciders/conditions/compile-conditions.ts';
import type { ConditionGroup } from '../../deciders/conditions/condition.ts';
import { advanceRun, failRun } from '../../deciders/rule-run.ts';
import { afterFacts, coverageResult, coverByRun } from '../../deciders/run-on-transaction.ts';
import type { EventData, RuleRunFact } from '../../events/registry.ts';
import type { RunResult } from '../../events/rule-run.ts';
import type { RuleRunDocument } from '../../projections/rule-runs.ts';
import { ruleVersions } from '../../projections/rules.ts';
import { type TransactionDocument, transactions } from '../../projections/transactions.ts';
import { openReader, type Reader } from '../../queries/reader.ts';
import { type CompanyRules, evaluateByRules, type RuleBook, subjectOf } from '../../queries/rule-book.ts';
import { type CandidateSet, candidatesAfter, countCandidates, stateOf } from '../../queries/run-candidates.ts';
import { isoTime } from '../../shared/clock.ts';
import { backoffMs } from '../backoff.ts';
import { type ReactorServices, workerContext } from '../reactor-services.ts';
import { runResultsAfter } from './run-results.ts';

const PAGE = 500;
const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 3_600_000;
const PROJECTED_WITHIN_MS = 30_000;

export type RunTools = {
  readonly ruleBook: RuleBook;
  /** Resolves true once the read models contain the position, false when the time is over first. */
  readonly waitFor: (names: readonly string[], position: string, timeoutMs: number) => Promise<boolean>;
};

/** A page of work done: what was found, where the next one begins, and whether this was the last. */
type PageDone = {
  readonly cursorId: string;
  readonly candidates: number;
  readonly results: readonly RunResult[];
  readonly last: boolean;
};

/**
 * Works on a run until it ends, the signal aborts or an attempt fails; true when something was done. Everything it does can be done again:
 * it goes on at the cursor of the last page on record, and a page done a second time changes nothing.
 */
export async function executeRun(
  services: ReactorServices,
  tools: RunTools,
  document: RuleRunDocument,
  signal: AbortSignal,
): Promise<boolean> {
  const { tenantId, companyId, id } = document;
  const context = workerContext(services, 'rule-runs', { tenantId, companyId, correlationId: id });
  const work = await openRunWork(context, id);
  const { requested, ended, nextAttemptAt } = work.state();
  if (requested === null || ended !== null) return false;
  if (nextAttemptAt !== null && nextAttemptAt > isoTime(services.clock.now())) return false;
  try {
    await markUsed(context, requested);
    await workOn(services, tools, { context, work, requested, newestPosition: document._position, signal });
  } catch (error) {
    if (signal.aborted) return false;
    await noteFailure(services, work, error);
  }
  return true;
}

type Job = {
  readonly context: CommandContext;
  readonly work: RunWork;
  readonly requested: EventData<'RunRequested'>;
  /** A position at or after the request. */
  readonly newestPosition: string;
  readonly signal: AbortSignal;
};

async function workOn(services: ReactorServices, tools: RunTools, job: Job): Promise<void> {
  const { context, work, requested, signal } = job;
  // What the rule's earlier runs did must be in the read model, and so must the candidates and the rules in force for them.
  if (!(await tools.waitFor([transactions.name, ruleVersions.name], job.newestPosition, PROJECTED_WITHIN_MS))) {
    throw new Error('the read models are too far behind');
  }
  const reader = openReader(services.readModels, context.tenantId, [context.companyId ?? '']);
  const pages = await openPages(tools, job, reader);
  while (!signal.aborted && work.state().ended === null) {
    const at = (): string => isoTime(services.clock.now());
    if (work.state().cancelRequested) {
      await take(work, [{ type: 'RunCancelled', data: { cancelledAt: at() } }]);
      continue;
    }
    if (!work.state().started) {
      const candidateCount = await pages.count();
      await take(work, [{ type: 'RunStarted', data: { startedAt: at(), candidateCount } }]);
      continue;
    }
    const page = await pages.next(work.state().cursorId);
    const facts: RuleRunFact[] = page === null ? [] : [pageFact(work, requested, page, at())];
    if (page?.last !== false) facts.push({ type: 'RunCompleted', data: { completedAt: at() } });
    await take(work, facts);
  }
}

/** When the stream has moved on, the loop looks at the new state and does the page again. */
function take(work: RunWork, facts: readonly RuleRunFact[]): Promise<unknown> {
  return work.advance((state) => advanceRun(state, facts));
}

function pageFact(
  work: RunWork,
  { type }: EventData<'RunRequested'>,
  { cursorId, candidates, results }: PageDone,
  doneAt: string,
): RuleRunFact {
  const matching = results.filter(({ outcome }) => outcome !== 'suppressed' && outcome !== 'revoked');
  return {
    type: 'RunPageDone',
    data: {
      page: work.state().page + 1,
      cursorId,
      candidates,
      matched: type === 'revert' ? 0 : matching.length,
      attached: results.reduce((sum, { attachedIds }) => sum + attachedIds.length, 0),
      revoked: results.reduce((sum, { revokedIds }) => sum + revokedIds.length, 0),
      results: [...results],
      doneAt,
    },
  };
}

type Pages = {
  readonly count: () => Promise<number>;
  /** Null when there was nothing left to do. */
  readonly next: (cursorId: string | null) => Promise<PageDone | null>;
};

async function openPages(tools: RunTools, job: Job, reader: Reader): Promise<Pages> {
  const { context, requested } = job;
  if (requested.type === 'revert') return revertPages(job);
  const rule: MatchedRule = {
    ruleId: requested.ruleId,
    ruleVersion: requested.ruleVersion,
    snapshotHash: requested.ruleSnapshotHash,
    tags: requested.tags,
    actions: requested.actions,
  };
  const compiled = compileConditions(requested.conditions as ConditionGroup);
  const set: CandidateSet = requested;
  const companyRules = await tools.ruleBook.open(context.tenantId, context.companyId ?? '');
  const cover = requested.type === 'preview' ? previewed : covered;
  return {
    count: () => countCandidates(reader, set),
    async next(cursorId) {
      const page = await candidatesAfter(reader, set, cursorId, PAGE);
      if (page.cursorId === null) return null;
      const results = await cover({ job, rule, compiled, companyRules }, page.items);
      return { cursorId: page.cursorId, candidates: page.items.length, results, last: page.after === null };
    },
  };
}

type Covering = {
  readonly job: Job;
  readonly rule: MatchedRule;
  readonly compiled: CompiledConditions;
  readonly companyRules: CompanyRules;
};

/** What a backfill would do, from the read model alone; nothing is written but the run itself. */
async function previewed(
  { job, rule, compiled }: Covering,
  candidates: readonly TransactionDocument[],
): Promise<RunResult[]> {
  const { runId } = job.requested;
  return candidates.flatMap((document) => {
    const matched = compiled.matches(subjectOf(document));
    if (!matched && document.assignments.length === 0) return [];
    const assignmentId = (part: string): string => `${runId} ${part}`;
    const state = stateOf(document);
    const facts = coverByRun(state, { runId, rule, matched, by: 'backfill', at: '', assignmentId });
    const result = coverageResult(afterFacts(state, facts), document.id, { runId, rule, matched });
    return result === null ? [] : [{ ...result, attachedIds: [] }];
  });
}

function covered(
  { job, rule, compiled, companyRules }: Covering,
  candidates: readonly TransactionDocument[],
): Promise<RunResult[]> {
  return coverTransactions(
    job.context,
    { runId: job.requested.runId, rule },
    candidates.flatMap((document) => {
      const matched = compiled.matches(subjectOf(document));
      const due = evaluationDue(companyRules, document);
      // Most candidates of most rules: nothing to attach, nothing held, nothing owed.
      if (!matched && due === null && document.assignments.length === 0) return [];
      return [{ transactionId: document.id, revision: document.revision, state: stateOf(document), matched, due }];
    }),
  );
}

/**
 * The evaluation that live automation has not come to yet. It is made here, by the rules that were in force where the transaction was
 * recorded, so that it cannot come after the run and undo what the run did.
 */
function evaluationDue(companyRules: CompanyRules, document: TransactionDocument) {
  const { status } = document.automation;
  return status === 'pending' || status === 'retry' ? evaluateByRules(companyRules, document) : null;
}

/** The candidates of a revert are the results of the run it takes back, in their order. */
function revertPages({ context, requested }: Job): Pages {
  const revertedId = requested.revertsRunId ?? '';
  const after = (cursorId: string | null) => runResultsAfter(context, revertedId, cursorId);
  return {
    async count() {
      let count = 0;
      for (let page = await after(null); page !== null; page = await after(page.cursorId)) count += page.changed.length;
      return count;
    },
    async next(cursorId) {
      const page = await after(cursorId);
      if (page === null) return null;
      const results = await undoOnTransactions(context, requested.runId, page.changed);
      return { cursorId: page.cursorId, candidates: page.changed.length, results, last: false };
    },
  };
}

async function noteFailure(services: ReactorServices, work: RunWork, error: unknown): Promise<void> {
  services.logger.warn({ err: error, run: work.state().requested?.runId }, 'an attempt at a run failed');
  const nowMs = services.clock.now();
  const failure = {
    failedAt: isoTime(nowMs),
    code: 'RUN_ATTEMPT_FAILED',
    message: error instanceof Error ? error.name : 'unknown',
  };
  let outcome: 'advanced' | 'moved' = 'moved';
  while (outcome === 'moved' && work.state().ended === null) {
    outcome = await work.advance((state) => {
      const delayMs = backoffMs(state.attempts + 1, FIRST_RETRY_MS, LONGEST_RETRY_MS, services.random);
      return failRun(state, { ...failure, nextAttemptAt: isoTime(nowMs + delayMs) });
    });
  }
}
