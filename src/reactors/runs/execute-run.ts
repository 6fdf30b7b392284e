import { markUsed } from '../../commands/rule-runs.ts';
import { openRunWork, type RunWork } from '../../commands/run-work.ts';
import { advanceRun, failRun, MAX_RUN_ATTEMPTS } from '../../deciders/rule-run.ts';
import type { EventData, RuleRunFact } from '../../events/registry.ts';
import { assignments } from '../../projections/assignments.ts';
import { history } from '../../projections/history.ts';
import type { RuleRunDocument } from '../../projections/rule-runs.ts';
import { ruleVersions } from '../../projections/rules.ts';
import { runMatches } from '../../projections/run-matches.ts';
import { transactions } from '../../projections/transactions.ts';
import { backoffMs } from '../../shared/backoff.ts';
import { isoTime } from '../../shared/clock.ts';
import { atOnce, type ReactorServices, workerContext } from '../reactor-services.ts';
import { type Job, openPages, type PageDone, type Pages, type RunTools } from './run-pages.ts';

const BACKOFF = { firstMs: 30_000, mostMs: 3_600_000 };
const PROJECTED_WITHIN_MS = 30_000;
/** Read models that take the events of a page, the slowest ones. */
const FOLLOWING = [transactions.name, history.name, runMatches.name];
const FOLLOWED_WITHIN_MS = 5_000;

/**
 * Works on a run until it ends, the signal aborts or an attempt fails; true when something was done. Everything it does
 * can be repeated: it continues at the cursor of the last recorded page, and a repeated page changes nothing.
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
  const job = { context, work, requested, newestPosition: document._position, signal };
  try {
    await markUsed(context, requested);
    await workOn(services, tools, job);
  } catch (error) {
    if (signal.aborted) return false;
    await noteFailure(services, tools, job, error);
  }
  return true;
}

async function workOn(services: ReactorServices, tools: RunTools, job: Job): Promise<void> {
  const { work, requested, signal } = job;
  const { pace = atOnce } = services;
  // The read models must include the effects of the rule's earlier runs, the candidates and the rules in force for
  // them, and for a revert what the run it undoes changed after its end.
  const names = [transactions.name, ruleVersions.name, ...(requested.type === 'revert' ? [assignments.name] : [])];
  if (!(await tools.waitFor(names, job.newestPosition, PROJECTED_WITHIN_MS))) {
    throw new Error('the read models are too far behind');
  }
  const pages = await openPages(services, tools, job);
  while (!signal.aborted && work.state().ended === null) {
    const at = (): string => isoTime(services.clock.now());
    if (work.state().cancelRequested) {
      const broken = await brokenPage(job, pages, at());
      await take(work, [...broken, { type: 'RunCancelled', data: { cancelledAt: at() } }]);
      continue;
    }
    if (!work.state().started) {
      const candidateCount = await pages.count();
      await take(work, [{ type: 'RunStarted', data: { startedAt: at(), candidateCount } }]);
      continue;
    }
    const { cursorId } = work.state();
    const page = await pace(job.context.tenantId, () => pages.next(cursorId));
    const facts: RuleRunFact[] = page === null ? [] : [pageFact(work, requested, page, at())];
    const ending: RuleRunFact[] = page?.last === false ? [] : [{ type: 'RunCompleted', data: { completedAt: at() } }];
    // A request to cancel that arrives meanwhile must not lose what was done: the page is recorded before the run ends.
    while (!(await takePage(work, cursorId, facts, ending)));
    // What others do becomes visible behind what this run has recorded.
    if (work.state().ended === null && page !== null && page.results.length > 0) {
      await tools.waitFor(FOLLOWING, await services.log.head(), FOLLOWED_WITHIN_MS);
    }
  }
}

/** True once the page is recorded, by any worker, or can no longer be. */
async function takePage(
  work: RunWork,
  cursorId: string | null,
  page: readonly RuleRunFact[],
  ending: readonly RuleRunFact[],
): Promise<boolean> {
  const outcome = await work.advance((state) => {
    if (state.cursorId !== cursorId) return [];
    return advanceRun(state, state.cancelRequested ? page : [...page, ...ending]);
  });
  return outcome === 'advanced' || work.state().ended !== null;
}

/** The part of the next page that a worker did before it was interrupted, as a page; nothing when it did nothing. */
async function brokenPage({ work, requested }: Job, pages: Pages, doneAt: string): Promise<RuleRunFact[]> {
  const page = work.state().started ? await pages.done(work.state().cursorId) : null;
  return page === null || page.results.length === 0 ? [] : [pageFact(work, requested, page, doneAt)];
}

/** When the stream has changed, the loop reads the new state and repeats the page. */
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

async function noteFailure(services: ReactorServices, tools: RunTools, job: Job, error: unknown): Promise<void> {
  const { work } = job;
  services.logger.warn({ err: error, run: work.state().requested?.runId }, 'an attempt at a run failed');
  const nowMs = services.clock.now();
  const failure = {
    failedAt: isoTime(nowMs),
    code: 'RUN_ATTEMPT_FAILED',
    message: error instanceof Error ? error.name : 'unknown',
  };
  const isLast = work.state().attempts + 1 >= MAX_RUN_ATTEMPTS;
  const looked = isLast
    ? openPages(services, tools, job).then((pages) => brokenPage(job, pages, failure.failedAt))
    : [];
  // A page that cannot even be read must not prevent the run from ending.
  const broken = await Promise.resolve(looked).catch(() => []);
  let outcome: 'advanced' | 'moved' = 'moved';
  while (outcome === 'moved' && work.state().ended === null) {
    outcome = await work.advance((state) => {
      const delayMs = backoffMs(state.attempts + 1, BACKOFF, services.random);
      return failRun(state, { ...failure, nextAttemptAt: isoTime(nowMs + delayMs) }, broken);
    });
  }
  if (outcome !== 'advanced' || work.state().ended !== 'dead') return;
  const run = work.state().requested?.runId;
  services.logger.warn({ run, tenant: job.context.tenantId, code: failure.code }, 'a run failed');
}
