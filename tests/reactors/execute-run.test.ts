import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { metadataFor } from '../../src/commands/command.ts';
import { createRule } from '../../src/commands/create-rule.ts';
import { cancelRun, requestBackfill, requestPreview, requestRevert } from '../../src/commands/rule-runs.ts';
import { MAX_RUN_ATTEMPTS } from '../../src/deciders/rule-run.ts';
import { LogUnavailable } from '../../src/log/log.ts';
import { streamName } from '../../src/log/streams.ts';
import { assignments } from '../../src/projections/assignments.ts';
import { history } from '../../src/projections/history.ts';
import { type RuleRunDocument, ruleRuns } from '../../src/projections/rule-runs.ts';
import { ruleVersions } from '../../src/projections/rules.ts';
import { runMatches } from '../../src/projections/run-matches.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { openRuleBook } from '../../src/queries/rule-book.ts';
import type { ReactorServices } from '../../src/reactors/reactor-services.ts';
import { executeRun } from '../../src/reactors/runs/execute-run.ts';
import { dueRuns, runRuleRuns } from '../../src/reactors/runs/run-rule-runs.ts';
import { createWorkPool } from '../../src/reactors/work-pool.ts';
import { documentId } from '../../src/shared/ids.ts';
import { recordedData } from '../support/facts.ts';
import { ruleDraft } from '../support/rule-draft.ts';
import { contextOn, type SetClock, type SmallWorld, setClock, smallWorld } from '../support/small-reactor-services.ts';

const EVERYTHING = { from: null, to: null, accountIds: null, bankCodes: null };
const ROWS = 1_200;

let clock: SetClock;
let small: SmallWorld;
let ruleId: string;

beforeEach(async () => {
  clock = setClock('2026-02-01T00:00:00.000Z');
  small = await smallWorld(clock, [transactions, ruleVersions, ruleRuns, runMatches, history, assignments]);
  const { log } = small.services;
  const context = contextOn(log, clock);
  const metadata = metadataFor(context, 'TransactionRecorded', 'company');
  await log.appendMany(
    Array.from({ length: ROWS }, (_, nth) => {
      const id = `t-${nth}`;
      const data = recordedData({ transactionId: id, providerStamp: id, automation: 'legacy' });
      const events = [{ id: context.newId(), type: 'TransactionRecorded', data, metadata }];
      return { stream: streamName('bankTransaction', 'tenant', id), expected: 'no-stream' as const, events };
    }),
  );
  const outcome = await createRule(context, ruleDraft(), 'paused');
  if (!outcome.accepted) throw new Error(outcome.refused);
  const [created] = outcome.events;
  ruleId = (created as { data: { ruleId: string } }).data.ruleId;
});
afterEach(() => small.stop());

const tools = (services: ReactorServices) => ({
  ruleBook: openRuleBook(services.readModels),
  waitFor: small.runner.waitFor,
});

async function runDocument(id: string): Promise<RuleRunDocument> {
  const { log, readModels } = small.services;
  await small.runner.waitFor(['transactions', 'rule-versions', 'rule-runs'], await log.head(), 100_000);
  const run = await readModels.of(ruleRuns).get(documentId('tenant', id));
  if (run === undefined) throw new Error('no such run');
  return run;
}

async function previewed(): Promise<string> {
  const asked = await requestPreview(contextOn(small.services.log, clock), ruleId, EVERYTHING);
  if (!asked.accepted) throw new Error(asked.refused);
  const id = asked.state.requested?.runId ?? '';
  const never = new AbortController().signal;
  await executeRun(small.services, tools(small.services), await runDocument(id), never);
  return id;
}

async function backfill(previewRunId: string): Promise<string> {
  const asked = await requestBackfill(contextOn(small.services.log, clock), ruleId, previewRunId);
  if (!asked.accepted) throw new Error(asked.refused);
  return asked.state.requested?.runId ?? '';
}

/** The services with a log that takes no page of transactions while it is broken. */
function breakable(): { services: ReactorServices; broken: (yes: boolean) => void } {
  let isBroken = true;
  const { log } = small.services;
  const guarded: ReactorServices['log'] = {
    append: (append) => log.append(append),
    appendMany: (appends) => {
      if (isBroken) return Promise.reject(new LogUnavailable('planted'));
      return log.appendMany(appends);
    },
    readStream: (stream, options) => log.readStream(stream, options),
    readStreamPositions: (stream, options) => log.readStreamPositions(stream, options),
    readAll: (options) => log.readAll(options),
    subscribe: (options) => log.subscribe(options),
    head: () => log.head(),
    end: () => log.end(),
    remainder: (after) => log.remainder(after),
    ping: () => log.ping(),
    close: () => log.close(),
  };
  return {
    services: { ...small.services, log: guarded },
    broken: (yes) => {
      isBroken = yes;
    },
  };
}

describe('a run whose attempts fail', () => {
  it('waits longer each time, is dead after 8, and says why', async () => {
    const id = await backfill(await previewed());
    const lines: Record<string, unknown>[] = [];
    const warn = (fields: Record<string, unknown>) => void lines.push(fields);
    const broken = breakable().services;
    const services = { ...broken, logger: { ...broken.logger, warn } };
    const signal = new AbortController().signal;
    const waits: number[] = [];
    for (let attempt = 1; attempt <= MAX_RUN_ATTEMPTS; attempt += 1) {
      const before = await runDocument(id);
      expect(await executeRun(services, tools(services), before, signal)).toBe(true);
      const after = await runDocument(id);
      expect(after).toMatchObject({ attempts: attempt, failureCount: attempt });
      expect(after.lastError).toContain('LogUnavailable');
      if (after.nextAttemptAt === null) break;
      expect(after.status).toBe('retry');
      // Not before its time.
      expect(await executeRun(services, tools(services), after, signal)).toBe(false);
      waits.push(Date.parse(after.nextAttemptAt) - clock.now());
      clock.set(after.nextAttemptAt);
    }
    expect(waits).toHaveLength(MAX_RUN_ATTEMPTS - 1);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(await runDocument(id)).toMatchObject({ status: 'dead', open: false });
    const failures = lines.filter(({ code }) => code !== undefined);
    expect(failures).toEqual([{ run: id, tenant: 'tenant', code: 'RUN_ATTEMPT_FAILED' }]);
  });

  it('continues where it stopped once the log is available', async () => {
    const id = await backfill(await previewed());
    const { services, broken } = breakable();
    const signal = new AbortController().signal;
    await executeRun(services, tools(services), await runDocument(id), signal);
    const waiting = await runDocument(id);
    broken(false);
    clock.set(waiting.nextAttemptAt ?? '');
    await executeRun(services, tools(services), waiting, signal);
    expect(await runDocument(id)).toMatchObject({
      status: 'completed',
      attachedCount: ROWS,
      matchedCount: ROWS,
      attempts: 0,
    });
  });

  it('has recorded what its last attempt did when it fails for good, so that it can be reverted', async () => {
    const id = await backfill(await previewed());
    const { log } = small.services;
    const half: ReactorServices['log'] = {
      ...log,
      append: (append) => log.append(append),
      readStream: (stream, options) => log.readStream(stream, options),
      readStreamPositions: (stream, options) => log.readStreamPositions(stream, options),
      head: () => log.head(),
      appendMany: async (appends) => {
        await log.appendMany(appends.slice(0, 300));
        throw new LogUnavailable('planted');
      },
    };
    const services = { ...small.services, log: half };
    for (let run = await runDocument(id); run.open; run = await runDocument(id)) {
      if (run.nextAttemptAt !== null) clock.set(run.nextAttemptAt);
      await executeRun(services, tools(services), run, new AbortController().signal);
    }
    const attached = (await log.readAll({ after: '', limit: 100_000 })).events.filter(
      ({ type }) => type === 'TransactionAssignmentAttached',
    );
    expect(attached.length).toBeGreaterThan(0);
    expect(await runDocument(id)).toMatchObject({ status: 'dead', attachedCount: attached.length });

    const asked = await requestRevert(contextOn(log, clock), id);
    if (!asked.accepted) throw new Error(asked.refused);
    const revertId = asked.state.requested?.runId ?? '';
    await executeRun(small.services, tools(small.services), await runDocument(revertId), new AbortController().signal);
    expect(await runDocument(revertId)).toMatchObject({ status: 'completed', revokedCount: attached.length });
  });
});

describe('two workers', () => {
  it('never share a run, and a page that both did counts once', async () => {
    const id = await backfill(await previewed());
    await runDocument(id);
    const { logger } = small.services;
    const workers = ['one', 'two'].map((owner) => {
      const services = { ...small.services, owner };
      const pool = createWorkPool({ size: 2, logger, onDone: () => {} });
      return { services, pool };
    });
    await Promise.all(
      workers.map(({ services, pool }) => runRuleRuns(services, tools(services), dueRuns(services), pool)),
    );
    const ended = async (): Promise<RuleRunDocument> => {
      for (;;) {
        const run = await runDocument(id);
        if (!run.open) return run;
        await new Promise((done) => setTimeout(done, 10));
      }
    };
    expect(await ended()).toMatchObject({
      status: 'completed',
      processedCount: ROWS,
      attachedCount: ROWS,
      failureCount: 0,
    });
    await Promise.all(workers.map(({ pool }) => pool.stop()));
  });

  it('that do it all the same, because a lease was lost, leave what one would have', async () => {
    const id = await backfill(await previewed());
    const run = await runDocument(id);
    const signal = new AbortController().signal;
    await Promise.all([
      executeRun(small.services, tools(small.services), run, signal),
      executeRun({ ...small.services, owner: 'frozen' }, tools(small.services), run, signal),
    ]);
    const attached = new Map<string, number>();
    const { events } = await small.services.log.readAll({ after: '', limit: 100_000 });
    for (const { type, stream } of events) {
      if (type === 'TransactionAssignmentAttached') attached.set(stream, (attached.get(stream) ?? 0) + 1);
    }
    expect([...attached.values()]).toEqual(Array.from({ length: ROWS }, () => 1));
    expect(await runDocument(id)).toMatchObject({ status: 'completed', processedCount: ROWS, attachedCount: ROWS });
  });
});

describe('a cancelled run', () => {
  it('stops between two pages and says how far it got', async () => {
    const id = await backfill(await previewed());
    const run = await runDocument(id);
    await cancelRun(contextOn(small.services.log, clock), id);
    await executeRun(small.services, tools(small.services), run, new AbortController().signal);
    expect(await runDocument(id)).toMatchObject({
      status: 'cancelled',
      processedCount: 0,
      attachedCount: 0,
      open: false,
    });
  });
});
