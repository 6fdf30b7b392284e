import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/commands/command.ts';
import { cancelSync, endOfSync, holdSync } from '../../src/commands/continue-sync.ts';
import { createRule } from '../../src/commands/create-rule.ts';
import { cancelRun, requestBackfill, requestPreview, requestRevert } from '../../src/commands/rule-runs.ts';
import { openRunWork } from '../../src/commands/run-work.ts';
import type { RecordedEvent } from '../../src/events/event.ts';
import type { RuleRunFact, SyncRunFact } from '../../src/events/registry.ts';
import { documentAfterWrite } from '../../src/http/core/document-after-write.ts';
import type { EventLog } from '../../src/log/log.ts';
import { eventsAfter } from '../../src/log/stream-parts.ts';
import { parseStreamName, streamName } from '../../src/log/streams.ts';
import { ruleRuns } from '../../src/projections/rule-runs.ts';
import { documentAfter } from '../../src/queries/after-write.ts';
import { computedId } from '../../src/shared/ids.ts';
import { AT, ingestedPage, plannedSync, requestedSync } from '../support/facts.ts';
import { ruleDraft } from '../support/rule-draft.ts';
import { contextOn, memoryLog, setClock } from '../support/small-reactor-services.ts';

const PAGES = 400;
/** An event may have up to 1 MiB. */
const MOST_AT_ONCE = 4;
const EVERYTHING = { from: null, to: null, accountIds: null, bankCodes: null };

const clock = setClock(AT);
let log: EventLog;
let context: CommandContext;
/** The largest number of events that one read gave, and how many reads there were. */
let most = 0;
let reads = 0;

beforeEach(() => {
  log = memoryLog();
  [most, reads] = [0, 0];
  context = contextOn(counted(log), clock);
});
afterEach(() => log.close());

function counted(inner: EventLog): EventLog {
  const noted = <Event>(events: Event[]): Event[] => {
    most = Math.max(most, events.length);
    reads += 1;
    return events;
  };
  return new Proxy(inner, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== 'function') return found;
      if (name !== 'readStream' && name !== 'readStreamPositions') return found.bind(target);
      return async (...given: unknown[]) => noted((await found.apply(target, given)) as unknown[]);
    },
  });
}

async function append(stream: string, facts: readonly (RuleRunFact | SyncRunFact)[], after = -1): Promise<void> {
  const { actor, tenantId, companyId, correlationId } = contextOn(log, clock);
  const metadata = { schemaVersion: 1, tenantId, companyId, actor, correlationId, causationId: null };
  const events = facts.map((fact, index) => ({ id: computedId(stream, String(after + index)), ...fact, metadata }));
  const appended = await log.append({ stream, expected: after < 0 ? 'no-stream' : after, events });
  expect(appended.outcome).toBe('appended');
}

async function allAfter(stream: string, position: string, last?: number): Promise<RecordedEvent[]> {
  const parts = eventsAfter((range) => context.log.readStreamPositions(stream, range), position, last);
  const all: RecordedEvent[] = [];
  for await (const events of parts) all.push(...events);
  return all;
}

const runStream = (runId: string): string => streamName('ruleRun', 'tenant', runId);

async function longPreview(ended: boolean): Promise<{ ruleId: string; runId: string }> {
  const rule = await createRule(context, ruleDraft(), 'active');
  const ruleId = rule.accepted ? parseStreamName(rule.events[0]?.stream ?? '').id : '';
  const asked = await requestPreview(context, ruleId, EVERYTHING);
  const runId = asked.accepted ? (asked.state.requested?.runId ?? '') : '';
  await lengthen(runId, ended);
  [most, reads] = [0, 0];
  return { ruleId, runId };
}

async function lengthen(runId: string, ended: boolean): Promise<void> {
  const counts = { candidates: 1, matched: 1, attached: 1, revoked: 0 };
  const pages = Array.from({ length: PAGES }, (_, nth): RuleRunFact => {
    return { type: 'RunPageDone', data: { page: nth + 1, cursorId: `${nth}`, ...counts, results: [], doneAt: AT } };
  });
  const start: RuleRunFact = { type: 'RunStarted', data: { startedAt: AT, candidateCount: PAGES } };
  const end: RuleRunFact = { type: 'RunCompleted', data: { completedAt: AT } };
  await append(runStream(runId), [start, ...pages, ...(ended ? [end] : [])], 0);
}

describe('a command on a long run holds a part of it at a time', () => {
  it('when a backfill is requested by its preview, and reverted', async () => {
    const { ruleId, runId } = await longPreview(true);
    const backfill = await requestBackfill(context, ruleId, runId);
    expect(backfill).toMatchObject({ accepted: true, state: { requested: { previewRunId: runId } } });
    const backfillId = backfill.accepted ? (backfill.state.requested?.runId ?? '') : '';
    expect(await requestBackfill(context, ruleId, runId)).toMatchObject({ refused: 'PREVIEW_ALREADY_USED' });
    await lengthen(backfillId, true);
    expect(await requestRevert(context, backfillId)).toMatchObject({ accepted: true });
    expect(most).toBe(MOST_AT_ONCE);
  });

  it('when it is cancelled, and by its worker', async () => {
    const { runId } = await longPreview(false);
    const work = await openRunWork(context, runId);
    expect(work.state()).toMatchObject({ page: PAGES, cancelRequested: false });
    const cancelled = await cancelRun(context, runId);
    expect(cancelled).toMatchObject({ accepted: true, state: { page: PAGES, cancelRequested: true } });
    const completed: RuleRunFact = { type: 'RunCompleted', data: { completedAt: AT } };
    expect(await work.advance(() => [completed])).toBe('moved');
    expect(work.state()).toMatchObject({ page: PAGES, cancelRequested: true });
    expect(await work.advance(() => [completed])).toBe('advanced');
    expect(most).toBe(MOST_AT_ONCE);
    expect(await cancelRun(context, runId)).toMatchObject({ refused: 'RUN_ENDED' });
  });

  it('and its answer is made of what came since the read model saw it', async () => {
    const { runId } = await longPreview(false);
    const stream = runStream(runId);
    const before = await log.readStreamPositions(stream);
    const whole = { stream, appended: [] };
    const shown = await documentAfterWrite(log, ruleRuns, whole, async () => undefined);
    const cancelled = await cancelRun(context, runId);
    const written = { stream, appended: cancelled.accepted ? cancelled.appended : [] };
    [most, reads] = [0, 0];
    const answer = await documentAfterWrite(context.log, ruleRuns, written, async () => shown);
    expect(most).toBe(1);
    expect(reads).toBeLessThan(25);
    expect(answer).toMatchObject({ cancelRequested: true, processedCount: PAGES });
    expect(await documentAfterWrite(context.log, ruleRuns, written, async () => undefined)).toEqual(answer);
    expect(most).toBe(MOST_AT_ONCE);
    expect(before).toHaveLength(PAGES + 2);
    expect(documentAfter(ruleRuns, before, shown)).toEqual(shown);
  });
});

describe('a command on a long sync holds a part of it at a time', () => {
  const stream = streamName('syncRun', 'tenant', 'sync');
  const pages = Array.from({ length: PAGES }, (_, nth) => {
    return ingestedPage({ page: nth + 1, cursor: nth === 0 ? null : `${nth}`, nextCursor: `${nth + 1}` });
  });
  const failed: SyncRunFact = {
    type: 'SyncFailed',
    data: {
      accountId: 'connection',
      failedAt: AT,
      durationMs: 0,
      requests: 1,
      kind: 'rate-limited',
      nextAllowedAt: AT,
      source: null,
      place: null,
      code: 'LATER',
      message: 'later',
    },
  };

  it('when it is held, cancelled and has ended', async () => {
    await append(stream, [requestedSync(), plannedSync(1), ...pages]);
    const sync = await holdSync(context, 'sync');
    expect(sync.state().lastPage?.page).toBe(PAGES);
    expect(await endOfSync(context, 'sync')).toMatchObject({ ended: null, failure: null });
    expect(await cancelSync(context, 'connection', 'sync')).toMatchObject({ accepted: true });
    expect(await sync.read()).toMatchObject({ cancelRequested: true, lastPage: { page: PAGES } });
    expect(most).toBe(MOST_AT_ONCE);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 48, PAGES])('finds its end after %i pages', async (length) => {
    await append(stream, [requestedSync(), plannedSync(1), ...pages.slice(0, length)]);
    expect(await endOfSync(context, 'sync')).toMatchObject({ ended: null });
    await append(stream, [failed], length + 1);
    reads = 0;
    const end = { ended: 'failed', failure: { code: 'LATER', nextAllowedAt: AT } };
    expect(await endOfSync(context, 'sync')).toMatchObject(end);
    expect(reads).toBeLessThan(20);
    expect((await holdSync(context, 'sync')).state()).toMatchObject(end);
  });

  it('keeps the first of its faults, however many there are', async () => {
    const fault = (nth: number) => ({ code: 'ODD', message: `${nth}`, source: 'file', place: null });
    const faulty = pages.map((page, nth) => {
      return page.type === 'SyncPageIngested' ? { ...page, data: { ...page.data, faults: [fault(nth)] } } : page;
    });
    await append(stream, [requestedSync(), plannedSync(1), ...faulty]);
    expect((await holdSync(context, 'sync')).state().fault).toEqual(fault(0));
  });

  it('gives the events after any position of the log', async () => {
    await append(stream, [requestedSync(), plannedSync(1)]);
    for (const [nth, page] of pages.slice(0, 40).entries()) await append(stream, [page], nth + 1);
    const all = await log.readStreamPositions(stream);
    for (const position of ['', ...all.map((event) => event.position)]) {
      const after = all.filter((event) => event.position > position);
      expect(await allAfter(stream, position)).toEqual(after);
      expect(await allAfter(stream, position, 20)).toEqual(after.filter(({ revision }) => revision <= 20));
    }
    expect(await allAfter(streamName('syncRun', 'tenant', 'none'), '')).toEqual([]);
    reads = 0;
    expect(await allAfter(stream, '', 2)).toEqual(all.slice(0, 3));
    expect(reads).toBe(1);
  });
});
