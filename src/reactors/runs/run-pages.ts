import type { CommandContext } from '../../commands/command.ts';
import { coverTransactions, doneOnTransactions, undoOnTransactions } from '../../commands/cover-transactions.ts';
import type { RunWork } from '../../commands/run-work.ts';
import type { MatchedRule } from '../../deciders/bank-transaction.ts';
import { type CompiledConditions, compileConditions } from '../../deciders/conditions/compile-conditions.ts';
import { afterFacts, coverageResult, coverByRun } from '../../deciders/run-on-transaction.ts';
import type { EventData } from '../../events/registry.ts';
import type { RunResult } from '../../events/rule-run.ts';
import type { TransactionDocument } from '../../projections/transactions.ts';
import { openReader, type Reader } from '../../queries/reader.ts';
import { type CompanyRules, evaluateByRules, type RuleBook, subjectOf } from '../../queries/rule-book.ts';
import { type CandidateSet, candidatesAfter, countCandidates, stateOf } from '../../queries/run-candidates.ts';
import type { ReactorServices } from '../reactor-services.ts';
import { lateChanges } from './late-changes.ts';
import { type ChangedPage, runResultsAfter } from './run-results.ts';

const PAGE = 500;

export type RunTools = {
  readonly ruleBook: RuleBook;
  /** Resolves true once the read models contain the position, false when the time limit expires first. */
  readonly waitFor: (names: readonly string[], position: string, timeoutMs: number) => Promise<boolean>;
  /** How many candidates a page has; 500 unless given. */
  readonly pageSize?: number;
};

export type Job = {
  readonly context: CommandContext;
  readonly work: RunWork;
  readonly requested: EventData<'RunRequested'>;
  /** A position at or after the request. */
  readonly newestPosition: string;
  readonly signal: AbortSignal;
};

/** A completed page: its results, where the next one starts, and whether this was the last. */
export type PageDone = {
  readonly cursorId: string;
  readonly candidates: number;
  readonly results: readonly RunResult[];
  readonly last: boolean;
};

export type Pages = {
  readonly count: () => Promise<number>;
  /** Null when there was nothing left to do. */
  readonly next: (cursorId: string | null) => Promise<PageDone | null>;
  /** What was already done of that page, without doing more; only changed transactions count as candidates. */
  readonly done: (cursorId: string | null) => Promise<PageDone | null>;
};

export async function openPages({ readModels }: ReactorServices, tools: RunTools, job: Job): Promise<Pages> {
  const { context, requested } = job;
  const reader = openReader(readModels, context.tenantId, [context.companyId ?? '']);
  if (requested.type === 'revert') return revertPages(job, reader);
  const rule: MatchedRule = {
    ruleId: requested.ruleId,
    ruleVersion: requested.ruleVersion,
    snapshotHash: requested.ruleSnapshotHash,
    tags: requested.tags,
    actions: requested.actions,
  };
  const compiled = compileConditions(requested.conditions);
  const set: CandidateSet = requested;
  const companyRules = await tools.ruleBook.open(context.tenantId, context.companyId ?? '');
  const cover = requested.type === 'preview' ? previewed : covered;
  return {
    count: () => countCandidates(reader, set),
    async next(cursorId) {
      const page = await candidatesAfter(reader, set, cursorId, tools.pageSize ?? PAGE);
      if (page.cursorId === null) return null;
      const results = await cover({ job, rule, compiled, companyRules }, page.items);
      return { cursorId: page.cursorId, candidates: page.items.length, results, last: page.after === null };
    },
    async done(cursorId) {
      if (requested.type === 'preview') return null;
      const page = await candidatesAfter(reader, set, cursorId, tools.pageSize ?? PAGE);
      if (page.cursorId === null) return null;
      const touched = page.items.map((document) => {
        return { transactionId: document.id, matched: compiled.matches(subjectOf(document)) };
      });
      const results = await doneOnTransactions(context, { runId: requested.runId, rule }, touched);
      return { cursorId: page.cursorId, candidates: results.length, results, last: false };
    },
  };
}

type Covering = {
  readonly job: Job;
  readonly rule: MatchedRule;
  readonly compiled: CompiledConditions;
  readonly companyRules: CompanyRules;
};

/** What a backfill would do, from the read model alone; writes nothing but the run itself. */
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
      // Most candidates of most rules: nothing to attach, nothing attached, no evaluation pending.
      if (!matched && due === null && document.assignments.length === 0) return [];
      return [{ transactionId: document.id, revision: document.revision, state: stateOf(document), matched, due }];
    }),
  );
}

/**
 * The evaluation that live automation has not made yet. It is made here, by the rules in force at the position at which
 * the transaction was recorded, so that it cannot follow the run and undo its effects.
 */
function evaluationDue(companyRules: CompanyRules, document: TransactionDocument) {
  const { status } = document.automation;
  return status === 'pending' || status === 'retry' ? evaluateByRules(companyRules, document) : null;
}

/** After the recorded results of the run that a revert undoes. */
const LATE = 'late';

/**
 * The candidates of a revert are the results of the run it undoes, in their order, and then, as one page, what that run
 * changed after its end.
 */
function revertPages({ context, requested }: Job, reader: Reader): Pages {
  const revertedId = requested.revertsRunId ?? '';

  async function after(cursorId: string | null): Promise<ChangedPage | null> {
    if (cursorId === LATE) return null;
    const recorded = await runResultsAfter(context, revertedId, cursorId);
    if ('changed' in recorded) return recorded;
    const { endedAt } = recorded;
    if (endedAt === null) return null;
    const changed = await lateChanges(reader, { runId: revertedId, revertId: requested.runId, endedAt });
    return changed.length === 0 ? null : { cursorId: LATE, changed };
  }

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
    async done(cursorId) {
      const page = await after(cursorId);
      if (page === null) return null;
      const touched = page.changed.map(({ transactionId }) => ({ transactionId, matched: false }));
      const results = await doneOnTransactions(context, { runId: requested.runId, rule: null }, touched);
      return { cursorId: page.cursorId, candidates: results.length, results, last: false };
    },
  };
}
