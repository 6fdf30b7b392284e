import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metadataFor } from '../../src/commands/command.ts';
import { cancelRun } from '../../src/commands/rule-runs.ts';
import { bankTransaction } from '../../src/deciders/bank-transaction.ts';
import { afterFacts } from '../../src/deciders/run-on-transaction.ts';
import type { Condition } from '../../src/events/conditions.ts';
import type { RecordedEvent } from '../../src/events/event.ts';
import { type BankTransactionFact, type EventData, type EventType, isKnown } from '../../src/events/registry.ts';
import type { EventLog } from '../../src/log/log.ts';
import { streamName } from '../../src/log/streams.ts';
import { assignments } from '../../src/projections/assignments.ts';
import { foldEvents } from '../../src/projections/fold-event.ts';
import { history } from '../../src/projections/history.ts';
import { type RuleRunDocument, ruleRuns } from '../../src/projections/rule-runs.ts';
import { ruleVersions } from '../../src/projections/rules.ts';
import { runMatches } from '../../src/projections/run-matches.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { openRuleBook } from '../../src/queries/rule-book.ts';
import { executeRun } from '../../src/reactors/runs/execute-run.ts';
import { AT, HASH, OTHER_HASH, recordedData } from '../support/facts.ts';
import { contextOn, type SmallWorld, setClock, smallWorld } from '../support/small-reactor-services.ts';

const clock = setClock('2026-02-01T00:00:00.000Z');
let small: SmallWorld;
let cases = 0;
beforeAll(async () => {
  small = await smallWorld(clock, [transactions, ruleVersions, runMatches, history, assignments]);
});
afterAll(() => small.stop());

type Row = { readonly incoming: boolean; readonly large: boolean; readonly pending: boolean };
type Plan = {
  readonly rows: readonly Row[];
  readonly pageSize: number;
  readonly type: 'backfill' | 'revert';
  /** Before which call to the log the cancel comes. */
  readonly cancelAt: number;
  /** At which call to the log the worker dies, if it does, and how much of that call is carried out. */
  readonly dies: { readonly at: number; readonly share: number } | null;
  /** The call at which it dies reaches the log after the end of the run. */
  readonly isLate: boolean;
};

const moment = fc.integer({ min: 0, max: 25 });
const plan: fc.Arbitrary<Plan> = fc.record({
  rows: fc.array(fc.record({ incoming: fc.boolean(), large: fc.boolean(), pending: fc.boolean() }), { maxLength: 12 }),
  pageSize: fc.integer({ min: 1, max: 5 }),
  type: fc.constantFrom('backfill', 'revert'),
  cancelAt: moment,
  dies: fc.option(fc.record({ at: moment, share: fc.double({ min: 0, max: 1, noNaN: true }) })),
  isLate: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
});

const incoming: Condition = { field: 'incoming', operator: 'equals', value: true };
const large: Condition = { field: 'amount', operator: 'at_least', value: 1_000 };
const reference = (externalId: string) => ({ source: 'erp', entityType: 'invoice', externalId, label: null });
const attach = (id: string) => ({ id, type: 'attach_reference' as const, reference: reference(id) });
const never = (): AbortSignal => new AbortController().signal;

/** One company with its rows, and runs of one rule over them. */
async function openCase(rows: readonly Row[]) {
  cases += 1;
  const tenantId = `tenant-${cases}`;
  const companyId = `company-${cases}`;
  const { log } = small.services;
  const context = { ...contextOn(log, clock, companyId), tenantId };
  const streamOf = (nth: number): string => streamName('bankTransaction', tenantId, `t-${cases}-${nth}`);
  const append = async (stream: string, type: EventType, data: object): Promise<void> => {
    const events = [{ id: context.newId(), type, data, metadata: metadataFor(context, type, companyId) }];
    await log.append({ stream, expected: 'no-stream', events });
  };
  for (const [nth, row] of rows.entries()) {
    const id = `t-${cases}-${nth}`;
    const amount = row.large ? '5000' : '5';
    const automation = row.pending ? 'pending' : 'legacy';
    const data = { transactionId: id, providerStamp: id, incoming: row.incoming, amount, automation } as const;
    await append(streamOf(nth), 'TransactionRecorded', recordedData(data));
  }
  return {
    context,
    async requestRun(run: Partial<EventData<'RunRequested'>>): Promise<string> {
      const runId = context.newId();
      await append(streamName('ruleRun', tenantId, runId), 'RunRequested', {
        runId,
        type: 'backfill',
        ruleId: 'rule',
        ruleVersion: 1,
        ruleSnapshotHash: HASH,
        conditions: { combinator: 'all', children: [incoming] },
        actions: [attach('first')],
        tags: [],
        scope: { from: null, to: null, accountIds: null, bankCodes: null },
        scopeHash: HASH,
        snapshotMaxId: await log.head(),
        ordinal: 1,
        previewRunId: null,
        revertsRunId: null,
        requestedAt: AT,
        ...run,
      } satisfies EventData<'RunRequested'>);
      return runId;
    },
    async workOn(runId: string, pageSize: number, by: EventLog = log, signal = never()): Promise<void> {
      const document = { tenantId, companyId, id: runId, _position: await log.head() };
      const tools = { ruleBook: openRuleBook(small.services.readModels), waitFor: small.runner.waitFor, pageSize };
      await executeRun({ ...small.services, log: by }, tools, document as unknown as RuleRunDocument, signal);
    },
    history: (): Promise<RecordedEvent[][]> =>
      Promise.all(rows.map((_, nth) => log.readStreamPositions(streamOf(nth)))),
    runHistory: (runId: string) => log.readStreamPositions(streamName('ruleRun', tenantId, runId)),
  };
}

type Case = Awaited<ReturnType<typeof openCase>>;

async function attachedNow(here: Case): Promise<string[][]> {
  return (await here.history()).map((events) => {
    const facts = events as unknown as BankTransactionFact[];
    const { assignments } = afterFacts(bankTransaction.initialState, facts);
    return assignments
      .filter((one) => one.active)
      .map((one) => one.referenceKey)
      .sort();
  });
}

async function changesBy(here: Case, runId: string) {
  const events = (await here.history()).flat().filter(isKnown);
  const attached = events.flatMap((one) =>
    one.type === 'TransactionAssignmentAttached' && one.data.runId === runId ? one.data.assignmentId : [],
  );
  const revoked = events.flatMap((one) =>
    one.type === 'TransactionAssignmentRevoked' && one.data.runId === runId ? one.data.assignmentId : [],
  );
  return { attached: attached.sort(), revoked: revoked.sort() };
}

/** The log as a worker sees it that is disturbed at its nth call. @param late takes the calls that come late */
function disturbed(
  planned: Plan,
  cancel: () => Promise<unknown>,
  worker: AbortController,
  late: (() => Promise<unknown>)[],
): EventLog {
  const { log } = small.services;
  let calls = 0;
  type Part = (share: number) => Promise<unknown>;
  async function call<Answer>(whole: () => Promise<Answer>, part: Part): Promise<Answer> {
    const nth = calls;
    calls += 1;
    if (nth === planned.cancelAt) await cancel();
    if (nth !== planned.dies?.at && !worker.signal.aborted) return whole();
    if (!worker.signal.aborted && planned.isLate) late.push(whole);
    else if (!worker.signal.aborted) await part(planned.dies?.share ?? 0);
    worker.abort();
    throw new Error('the worker is dead');
  }
  return {
    ...log,
    append: (append) =>
      call(
        () => log.append(append),
        async (share) => (share < 0.5 ? undefined : log.append(append)),
      ),
    appendMany: (appends) =>
      call(
        () => log.appendMany(appends),
        (share) => log.appendMany(appends.slice(0, Math.round(appends.length * share))),
      ),
    readStream: (stream, options) =>
      call(
        () => log.readStream(stream, options),
        async () => undefined,
      ),
    readStreamPositions: (stream, options) =>
      call(
        () => log.readStreamPositions(stream, options),
        async () => undefined,
      ),
    head: () => log.head(),
  };
}

/** What the rule is after the earlier run: some of what that attached is not wanted any more. */
const changedRule = {
  ruleVersion: 2,
  ruleSnapshotHash: OTHER_HASH,
  conditions: { combinator: 'any' as const, children: [large] },
  actions: [attach('first'), attach('second')],
};

describe('a run that is cancelled', () => {
  it('has recorded exactly what it did until its end, and a revert undoes also what came after it', async () => {
    let cancelled = 0;
    let cancelledInTheMiddle = 0;
    let changedLate = 0;
    await fc.assert(
      fc.asyncProperty(plan, async (planned) => {
        const { rows, pageSize, type } = planned;
        const here = await openCase(rows);
        await here.workOn(await here.requestRun({}), 500);
        let runId = await here.requestRun(changedRule);
        if (type === 'revert') {
          await here.workOn(runId, 2);
          runId = await here.requestRun({ ...changedRule, type, revertsRunId: runId });
        }
        const before = await attachedNow(here);

        const worker = new AbortController();
        const late: (() => Promise<unknown>)[] = [];
        const log = disturbed(planned, () => cancelRun(here.context, runId), worker, late);
        await here.workOn(runId, pageSize, log, worker.signal).catch(() => {});
        // After a death the run stands still until somebody takes it up, which is a moment for a cancel too.
        if (worker.signal.aborted) await cancelRun(here.context, runId);
        await here.workOn(runId, pageSize);

        const events = (await here.runHistory(runId)).filter(isKnown);
        const recorded = events.flatMap((event) => (event.type === 'RunPageDone' ? event.data.results : []));
        const changes = await changesBy(here, runId);
        expect(recorded.flatMap(({ attachedIds }) => attachedIds).sort()).toEqual(changes.attached);
        expect(recorded.flatMap(({ revokedIds }) => revokedIds).sort()).toEqual(changes.revoked);
        expect(new Set(recorded.map(({ transactionId }) => transactionId)).size).toBe(recorded.length);
        const [document] = [...foldEvents(ruleRuns, events).values()];
        expect(document).toMatchObject({
          open: false,
          attachedCount: changes.attached.length,
          revokedCount: changes.revoked.length,
        });
        expect(document?.processedCount).toBeLessThanOrEqual(document?.candidateCount ?? 0);
        if (document?.status === 'cancelled') {
          cancelled += 1;
          if (recorded.length > 0) cancelledInTheMiddle += 1;
        }

        const ended = await attachedNow(here);
        for (const arrive of late) await arrive();
        if (JSON.stringify(await attachedNow(here)) !== JSON.stringify(ended)) changedLate += 1;

        const revert = await here.requestRun({ ...changedRule, type: 'revert', revertsRunId: runId });
        await here.workOn(revert, pageSize);
        expect(await attachedNow(here)).toEqual(before);
        const reverted = (await here.runHistory(revert)).filter(isKnown);
        const results = reverted.flatMap((event) => (event.type === 'RunPageDone' ? event.data.results : []));
        const undone = await changesBy(here, revert);
        expect(results.flatMap(({ attachedIds }) => attachedIds).sort()).toEqual(undone.attached);
        expect(results.flatMap(({ revokedIds }) => revokedIds).sort()).toEqual(undone.revoked);
      }),
      { numRuns: 1_000 },
    );
    // Else the moments were badly chosen.
    expect(cancelled).toBeGreaterThan(300);
    expect(cancelledInTheMiddle).toBeGreaterThan(100);
    expect(changedLate).toBeGreaterThan(20);
  });
});
