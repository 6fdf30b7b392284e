import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Evaluation } from '../../src/commands/change-transaction.ts';
import { holdSync } from '../../src/commands/continue-sync.ts';
import type { Arrivals } from '../../src/commands/record-evaluated.ts';
import { recordSyncPage, type SyncPage } from '../../src/commands/record-sync-page.ts';
import { stampRows } from '../../src/deciders/transaction-stamp.ts';
import { type EventLog, LOG_START, LogUnavailable } from '../../src/log/log.ts';
import { streamName } from '../../src/log/streams.ts';
import { computedId } from '../../src/shared/ids.ts';
import { AT, HASH, plannedSync, REFERENCE, requestedSync } from '../support/facts.ts';
import { contextOn, memoryLog, setClock } from '../support/small-reactor-services.ts';

const clock = setClock(AT);
const ROW = {
  discriminator: null,
  transactionDate: AT,
  amount: '10',
  incoming: true,
  balance: '100',
  currency: 'EUR',
  nameSurname: null,
  iban: null,
  idNo: '',
  code: null,
  findAI: false,
};

let log: EventLog;
beforeEach(async () => {
  log = memoryLog();
  const { actor, tenantId, companyId, correlationId } = contextOn(log, clock);
  const metadata = { schemaVersion: 1, tenantId, companyId, actor, correlationId, causationId: null };
  const events = [requestedSync(), plannedSync(3)].map((fact, index) => ({
    id: computedId('sync', String(index)),
    ...fact,
    metadata,
  }));
  await log.append({ stream: streamName('syncRun', 'tenant', 'sync'), expected: 'no-stream', events });
});
afterEach(() => log.close());

function pageOf(descriptions: readonly string[], automation: SyncPage['automation'] = 'pending'): SyncPage {
  const rows = descriptions.map((description) => ({ ...ROW, providerId: description, description }));
  return {
    accountId: 'connection',
    bankCode: 'demo',
    subAccountKey: 'account',
    automation,
    page: 1,
    window: 0,
    cursor: null,
    nextCursor: null,
    requests: 1,
    rows: stampRows('account', 'window', rows, new Map()),
    withdrawn: [],
    statedBalances: [],
    faults: [],
  };
}

function evaluationOf(references: number): Evaluation {
  const actions = Array.from({ length: references }, (_, index) => ({
    id: `${index}`,
    reference: { ...REFERENCE, externalId: `${index}` },
  }));
  const rule = { ruleId: 'rule', ruleVersion: 1, snapshotHash: HASH, tags: [], actions };
  return { rulesInForce: 1, rulesDigest: HASH, matched: references === 0 ? [] : [rule] };
}

async function record(
  page: SyncPage,
  evaluate: Arrivals['evaluate'] = () => evaluationOf(1),
  through: EventLog = log,
): Promise<boolean[]> {
  const settled: boolean[] = [];
  const rulesKnownTo = await log.head();
  const automation = { ...contextOn(log, clock), correlationId: 'automation' };
  const arrivals = { context: automation, rulesKnownTo, evaluate, settle: (isTaken: boolean) => settled.push(isTaken) };
  const context = contextOn(through, clock);
  await recordSyncPage(
    context,
    await holdSync(context, 'sync'),
    page,
    async () => new Map(),
    undefined,
    async () => arrivals,
  );
  return settled;
}

/** Of each row, by its description, the types of its stream's events. */
async function streams(): Promise<Record<string, string[]>> {
  const { events } = await log.readAll({ after: LOG_START, limit: 1_000 });
  const rows = Map.groupBy(
    events.filter(({ stream }) => stream.startsWith('bankTransaction')),
    ({ stream }) => stream,
  );
  return Object.fromEntries(
    Array.from(rows.values(), (own) => [
      String((own[0]?.data as { description?: string } | undefined)?.description),
      own.map(({ type }) => type.replace('Transaction', '')),
    ]),
  );
}

function withLog(changes: Partial<EventLog>): EventLog {
  return new Proxy(log, {
    get(target, name) {
      const found: unknown = Reflect.get(name in changes ? changes : target, name);
      return typeof found === 'function' && !(name in changes) ? found.bind(target) : found;
    },
  });
}

const EVALUATED = ['Recorded', 'AutomationEvaluated', 'AssignmentAttached'];

describe('a row that is evaluated where it comes in', () => {
  it('is recorded with its evaluation and assignments, which are caused by it', async () => {
    expect(await record(pageOf(['a']))).toEqual([true]);
    const { events } = await log.readAll({ after: LOG_START, limit: 1_000 });
    const own = events.filter(({ stream }) => stream.startsWith('bankTransaction'));
    expect(own.map(({ type }) => type.replace('Transaction', ''))).toEqual(EVALUATED);
    expect(own.slice(1)).toMatchObject([
      { metadata: { causationId: own[0]?.id, correlationId: 'automation' }, data: { attempt: 1, evaluatedAt: AT } },
      { metadata: { causationId: own[0]?.id, correlationId: 'automation' }, data: { activeBefore: 0, matchedAt: AT } },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'SyncPageIngested', data: { inserted: 1, duplicates: 0 } });
  });

  it('is recorded alone where its evaluation fails, and other rows are not affected', async () => {
    await record(pageOf(['a', 'poison', 'b']), ({ description }) => {
      if (description === 'poison') throw new Error('planted');
      return evaluationOf(1);
    });
    expect(await streams()).toEqual({ a: EVALUATED, b: EVALUATED, poison: ['Recorded'] });
  });

  it('is recorded alone where more rules match than one append should have', async () => {
    await record(pageOf(['a', 'many']), ({ description }) => evaluationOf(description === 'many' ? 50 : 49));
    const { a = [], many } = await streams();
    expect(a).toHaveLength(51);
    expect(many).toEqual(['Recorded']);
  });

  it('is recorded alone where what was found cannot be appended', async () => {
    await record(pageOf(['a', 'b']), ({ description }) => ({
      ...evaluationOf(1),
      rulesDigest: description === 'b' ? 'no digest' : HASH,
    }));
    expect(await streams()).toEqual({ a: ['Recorded'], b: ['Recorded'] });
  });

  it('is not evaluated while automation is off for the company', async () => {
    await record(pageOf(['a'], 'legacy'));
    expect(await streams()).toEqual({ a: ['Recorded'] });
  });

  it('is recorded alone where a rule has changed meanwhile', async () => {
    const rule = { id: computedId('rule'), type: 'RuleArchived', data: { version: 2, archivedAt: AT } };
    const { actor, tenantId, companyId, correlationId } = contextOn(log, clock);
    const metadata = { schemaVersion: 1, tenantId, companyId, actor, correlationId, causationId: null };
    const changing = withLog({
      async appendManyUnless(...of) {
        const stream = streamName('transactionRule', 'tenant', 'rule');
        await log.append({ stream, expected: 'no-stream', events: [{ ...rule, metadata }] });
        return (await log.appendManyUnless?.(...of)) ?? [];
      },
    });
    expect(await record(pageOf(['a', 'b']), undefined, changing)).toEqual([false]);
    expect(await streams()).toEqual({ a: ['Recorded'], b: ['Recorded'] });
  });
});

describe('a page whose rows are evaluated where they come in', () => {
  it('is recorded once when it is repeated, whatever its rows evaluate to by then', async () => {
    for (const killedAt of ['before', 'after'] as const) {
      const page = pageOf([`a ${killedAt}`, `b ${killedAt}`]);
      const killing = withLog({
        async appendManyUnless(...of) {
          if (killedAt === 'after') await log.appendManyUnless?.(...of);
          throw new LogUnavailable('killed');
        },
      });
      const numbered = { ...page, page: killedAt === 'before' ? 1 : 2 };
      await expect(record(numbered, undefined, killing)).rejects.toThrow('killed');
      await record(numbered, () => evaluationOf(killedAt === 'before' ? 1 : 0));
    }
    expect(await streams()).toEqual({
      'a before': EVALUATED,
      'b before': EVALUATED,
      'a after': EVALUATED,
      'b after': EVALUATED,
    });
    const { events } = await log.readAll({ after: LOG_START, limit: 1_000 });
    const pages = events.filter(({ type }) => type === 'SyncPageIngested');
    expect(pages.map(({ data }) => data)).toMatchObject([
      { inserted: 2, duplicates: 0 },
      { inserted: 2, duplicates: 0 },
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('is recognised by its first append when it is repeated with the same evaluations', async () => {
    const page = pageOf(['a', 'b']);
    const appended: number[] = [];
    const watched = withLog({
      async appendManyUnless(...of) {
        const results = (await log.appendManyUnless?.(...of)) ?? [];
        appended.push(results.filter(({ outcome }) => outcome === 'appended').length);
        if (appended.length === 1) throw new LogUnavailable('killed');
        return results;
      },
    });
    await expect(record(page, undefined, watched)).rejects.toThrow('killed');
    await record(page, undefined, watched);
    expect(appended).toEqual([2, 2]);
    expect(await streams()).toEqual({ a: EVALUATED, b: EVALUATED });
  });

  it('recognises its rows when a repetition finds more in them than was recorded', async () => {
    const page = pageOf(['a', 'b']);
    const killing = withLog({
      async appendManyUnless(...of) {
        await log.appendManyUnless?.(...of);
        throw new LogUnavailable('killed');
      },
    });
    await expect(record(page, () => evaluationOf(0), killing)).rejects.toThrow('killed');
    await record(page, () => evaluationOf(2));
    expect(await streams()).toEqual({ a: EVALUATED.slice(0, 2), b: EVALUATED.slice(0, 2) });
    const { events } = await log.readAll({ after: LOG_START, limit: 1_000 });
    expect(events.at(-1)).toMatchObject({ type: 'SyncPageIngested', data: { inserted: 2, duplicates: 0 } });
  });

  it('is recorded where the log takes no conditions, without asking for rules', async () => {
    const unconditional = withLog({ appendManyUnless: undefined } as unknown as Partial<EventLog>);
    const asked: string[] = [];
    await record(
      pageOf(['a']),
      ({ providerStamp }) => {
        asked.push(providerStamp);
        return evaluationOf(1);
      },
      unconditional,
    );
    expect(await streams()).toEqual({ a: ['Recorded'] });
    expect(asked).toEqual([]);
  });
});
