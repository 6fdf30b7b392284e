import type { EventData, KnownEvent } from '../../../src/events/registry.ts';
import { matchesConditions } from './check-automation.ts';
import { allOf, firstOf, type History, transactionAfter } from './history.ts';

type Run = {
  readonly id: string;
  readonly requested: EventData<'RunRequested'>;
  readonly pages: readonly KnownEvent<'RunPageDone'>[];
  readonly results: EventData<'RunPageDone'>['results'];
  readonly ended: string | undefined;
};

const ENDS = ['RunCompleted', 'RunCancelled', 'RunDied'];

/** What a run recorded is what it did, and a revert leaves what was before. */
export function checkRuns(history: History): string[] {
  const runs = new Map<string, Run>();
  for (const [id, events] of history.of('ruleRun')) {
    const requested = firstOf(events, 'RunRequested');
    if (requested === undefined) continue;
    const pages = allOf(events, 'RunPageDone');
    const end = events.find(({ type }) => ENDS.includes(type));
    runs.set(id, { id, requested, pages, results: pages.flatMap(({ data }) => data.results), ended: end?.type });
  }
  const endOf = (id: string): string | undefined => {
    const events = history.of('ruleRun').get(id) ?? [];
    return events.find(({ type }) => ENDS.includes(type))?.position;
  };
  const [done, late] = [changesByRun(history, endOf, 'until'), changesByRun(history, endOf, 'after')];
  const faults = [...done.keys()].filter((id) => !runs.has(id)).map((id) => `there is no run ${id}`);
  for (const run of runs.values()) {
    const found = [
      ...checkResults(run, done.get(run.id) ?? noChanges()),
      ...(run.ended === 'RunCompleted' && run.requested.type !== 'revert' ? checkCandidates(history, run) : []),
      ...(run.ended === 'RunCompleted' && run.requested.type === 'revert' ? checkRevert(history, run, runs) : []),
      ...(run.ended === 'RunCompleted' && run.requested.type === 'revert' ? checkLate(history, run, late) : []),
    ];
    faults.push(...found.map((fault) => `${run.requested.type} ${run.id} (${run.ended ?? 'open'}): ${fault}`));
  }
  return faults;
}

type Changes = {
  readonly attached: string[];
  readonly revoked: string[];
  /** Of the last change of each assignment. */
  readonly positions: Map<string, string>;
};

function noChanges(): Changes {
  return { attached: [], revoked: [], positions: new Map() };
}

/**
 * Until the end of each run, or after it: then it was sent before the run was cancelled or died, by a worker that was
 * frozen or was answered with a failure, and is in no result of the run.
 */
function changesByRun(
  history: History,
  endOf: (id: string) => string | undefined,
  when: 'until' | 'after',
): Map<string, Changes> {
  const done = new Map<string, Changes>();
  for (const { type, data, position } of history.events) {
    if (type !== 'TransactionAssignmentAttached' && type !== 'TransactionAssignmentRevoked') continue;
    if (data.runId === null) continue;
    const isAfter = position > (endOf(data.runId) ?? '~');
    if (isAfter !== (when === 'after')) continue;
    const changes = done.get(data.runId) ?? noChanges();
    changes.positions.set(data.assignmentId, position);
    done.set(data.runId, changes);
    changes[type === 'TransactionAssignmentAttached' ? 'attached' : 'revoked'].push(data.assignmentId);
  }
  return done;
}

function differ(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join() !== other.toSorted().join();
}

function checkResults({ pages, results, requested }: Run, done: Changes): string[] {
  const faults: string[] = [];
  const attached = results.flatMap(({ attachedIds }) => attachedIds);
  const revoked = requested.type === 'preview' ? [] : results.flatMap(({ revokedIds }) => revokedIds);
  if (differ(attached, done.attached)) faults.push(`recorded ${attached} as attached, attached ${done.attached}`);
  if (differ(revoked, done.revoked)) faults.push(`recorded ${revoked} as revoked, revoked ${done.revoked}`);
  const ids = results.map(({ transactionId }) => transactionId);
  if (new Set(ids).size !== ids.length) faults.push('a transaction is in its results twice');
  for (const [index, { data }] of pages.entries()) {
    if (data.page !== index + 1) faults.push(`page ${data.page} is the ${index + 1}th`);
    const counted = data.results.reduce((sum, { attachedIds }) => sum + attachedIds.length, 0);
    if (data.attached !== counted) faults.push(`page ${data.page} counts ${data.attached} attached, has ${counted}`);
  }
  return faults;
}

/** A completed preview or backfill went through all transactions that there were when its preview was requested. */
function checkCandidates(history: History, { requested, pages, results }: Run): string[] {
  const faults: string[] = [];
  const outcomes = new Map(results.map(({ transactionId, outcome }) => [transactionId, outcome]));
  let candidates = 0;
  for (const [id, [recorded]] of history.of('bankTransaction')) {
    if (recorded === undefined || recorded.position > requested.snapshotMaxId) continue;
    candidates += 1;
    const outcome = outcomes.get(id);
    const isMatch = matchesConditions(requested.conditions, recorded.data as EventData<'TransactionRecorded'>);
    const isTaken = outcome !== undefined && outcome !== 'revoked';
    if (isMatch !== isTaken) faults.push(`transaction ${id} ${isMatch ? 'matches' : 'does not match'}: ${outcome}`);
  }
  const counted = pages.reduce((sum, { data }) => sum + data.candidates, 0);
  if (counted !== candidates) faults.push(`it has ${candidates} candidates and went through ${counted}`);
  return faults;
}

function checkRevert(
  history: History,
  { id, requested, results, pages }: Run,
  runs: ReadonlyMap<string, Run>,
): string[] {
  const undone = runs.get(requested.revertsRunId ?? '');
  if (undone === undefined) return ['there is no run that it reverts'];
  const faults: string[] = [];
  const changed = undone.results.filter((one) => one.attachedIds.length + one.revokedIds.length > 0);
  const treated = new Set(results.map(({ transactionId }) => transactionId));
  for (const { transactionId, attachedIds } of changed) {
    if (!treated.has(transactionId)) faults.push(`it left out transaction ${transactionId}`);
    const events = history.of('bankTransaction').get(transactionId) ?? [];
    const { assignments } = transactionAfter(events);
    const left = assignments.filter((one) => one.active && attachedIds.includes(one.id));
    if (left.length > 0) faults.push(`transaction ${transactionId} keeps ${left.map((one) => one.id)}`);
    const runOf = ({ data }: KnownEvent): string | null => (data as { runId?: string | null }).runId ?? null;
    const first = events.findIndex((event) => runOf(event) === undone.id);
    // What others changed before the revert was over stays changed.
    const endsAt = pages.at(-1)?.position ?? '';
    const last = events.findLastIndex(({ position }) => position <= endsAt);
    const othersToo = events
      .slice(first, last + 1)
      .some((event) => event.type.startsWith('TransactionAssignment') && ![id, undone.id].includes(runOf(event) ?? ''));
    if (othersToo) continue;
    const [before, after] = [standing(events.slice(0, first)), standing(events.slice(0, last + 1))];
    if (differ(before, after)) faults.push(`transaction ${transactionId} had ${before} before and has ${after} after`);
  }
  return faults;
}

/** A revert also undoes what the log took of the run after its end and before the revert was requested. */
function checkLate(history: History, { id, requested, results }: Run, late: ReadonlyMap<string, Changes>): string[] {
  const undoneLate = late.get(requested.revertsRunId ?? '');
  if (undoneLate === undefined) return [];
  const requestedAt = history.of('ruleRun').get(id)?.[0]?.position ?? '';
  const wasThere = (one: string): boolean => (undoneLate.positions.get(one) ?? '~') < requestedAt;
  const active = new Set<string>();
  const treated = new Set(results.map(({ transactionId }) => transactionId));
  const faults: string[] = [];
  for (const [transactionId, events] of history.of('bankTransaction')) {
    const { assignments } = transactionAfter(events);
    for (const one of assignments) if (one.active) active.add(one.id);
    const isRevokedLate = assignments.some((one) => undoneLate.revoked.includes(one.id) && wasThere(one.id));
    if (isRevokedLate && !treated.has(transactionId)) faults.push(`it left out the late transaction ${transactionId}`);
  }
  const left = undoneLate.attached.filter((one) => wasThere(one) && active.has(one));
  if (left.length > 0) faults.push(`what came late remains: ${left}`);
  return faults;
}

function standing(events: readonly KnownEvent[]): string[] {
  return transactionAfter(events)
    .assignments.filter((one) => one.active)
    .map(({ origin, ruleId, referenceKey }) => `${origin} ${ruleId} ${referenceKey}`);
}
