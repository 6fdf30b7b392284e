import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/commands/command.ts';
import { cancelSync, continueSync, holdSync } from '../../src/commands/continue-sync.ts';
import type { LookUpKnown } from '../../src/commands/known-transaction.ts';
import { recordSyncPage, type SyncPage } from '../../src/commands/record-sync-page.ts';
import { type IncomingTransaction, stampRows } from '../../src/deciders/transaction-stamp.ts';
import type { SyncRunFact } from '../../src/events/registry.ts';
import { type EventLog, LOG_START } from '../../src/log/log.ts';
import { streamName } from '../../src/log/streams.ts';
import { computedId } from '../../src/shared/ids.ts';
import { AT, plannedSync, requestedSync } from '../support/facts.ts';
import { contextOn, memoryLog, setClock } from '../support/small-reactor-services.ts';

let log: EventLog;
const clock = setClock(AT);
beforeEach(() => {
  log = memoryLog();
});
afterEach(() => log.close());

const ENDED = { accountId: 'connection', durationMs: 0, requests: 1 };
const BANK_SAID = { source: null, place: null, code: 'NO', message: 'no' };
const knowsNothing: LookUpKnown = async () => new Map();

function row(providerId: string | null, changes: Partial<IncomingTransaction> = {}): IncomingTransaction {
  return {
    providerId,
    discriminator: null,
    transactionDate: AT,
    amount: '10',
    incoming: true,
    balance: '100',
    currency: 'EUR',
    description: providerId,
    nameSurname: null,
    iban: null,
    idNo: '',
    code: null,
    findAI: false,
    ...changes,
  };
}

async function startSync(syncId: string): Promise<void> {
  const context = contextOn(log, clock);
  const { actor, tenantId, companyId, correlationId } = context;
  const metadata = { schemaVersion: 1, tenantId, companyId, actor, correlationId, causationId: null };
  const events = [requestedSync({ syncId }), plannedSync(3)].map((fact, index) => ({
    id: computedId(syncId, String(index)),
    ...fact,
    metadata,
  }));
  await log.append({ stream: streamName('syncRun', 'tenant', syncId), expected: 'no-stream', events });
}

type PageOfSync = SyncPage & { readonly syncId: string };

function pageOf(syncId: string, rows: IncomingTransaction[], changes: Partial<SyncPage> = {}): PageOfSync {
  return {
    syncId,
    accountId: 'connection',
    bankCode: 'demo',
    subAccountKey: 'account',
    automation: 'pending',
    page: 1,
    window: 0,
    cursor: null,
    nextCursor: null,
    requests: 1,
    rows: stampRows('account', 'window', rows, new Map()),
    withdrawn: [],
    statedBalances: [],
    faults: [],
    ...changes,
  };
}

async function recordPage(
  context: CommandContext,
  { syncId, ...page }: PageOfSync,
  lookUpKnown: LookUpKnown,
): Promise<{ moved: boolean }> {
  return recordSyncPage(context, await holdSync(context, syncId), page, lookUpKnown);
}

async function recordedPages(): Promise<Record<string, unknown>[]> {
  const { events } = await log.readAll({ after: LOG_START, limit: 1_000 });
  return events
    .filter((event) => event.type === 'SyncPageIngested')
    .map((event) => event.data as Record<string, unknown>);
}

async function recordedRows(): Promise<number> {
  const { events } = await log.readAll({ after: LOG_START, limit: 1_000 });
  return events.filter((event) => event.type === 'TransactionRecorded').length;
}

describe('a page of a sync', () => {
  it('is recorded after its rows, with exact counts', async () => {
    await startSync('one');
    const outcome = await recordPage(
      contextOn(log, clock),
      pageOf('one', [row('a'), row('b'), row('a')]),
      knowsNothing,
    );
    expect(outcome.moved).toBe(true);
    expect(await recordedPages()).toMatchObject([{ fetched: 3, inserted: 2, duplicates: 1, conflicts: 0 }]);
    const { events } = await log.readAll({ after: LOG_START, limit: 1_000 });
    expect(events.at(-1)?.type).toBe('SyncPageIngested');
  });

  it('counts the same when it is repeated after a crash', async () => {
    await startSync('one');
    const page = pageOf('one', [row('a'), row('b')]);
    const stopped = contextOn({ ...bound(log), append: () => Promise.reject(new Error('killed')) }, clock);
    await expect(recordPage(stopped, page, knowsNothing)).rejects.toThrow('killed');
    expect(await recordedRows()).toBe(2);
    expect(await recordedPages()).toEqual([]);
    await recordPage(contextOn(log, clock), page, knowsNothing);
    expect(await recordedPages()).toMatchObject([{ fetched: 2, inserted: 2, duplicates: 0 }]);
    expect(await recordedRows()).toBe(2);
  });

  it('is not counted twice when two workers finish it', async () => {
    await startSync('one');
    const page = pageOf('one', [row('a')]);
    const outcomes = await Promise.all(
      [page, page].map((same) => recordPage(contextOn(log, clock), same, knowsNothing)),
    );
    expect(outcomes.filter((outcome) => outcome.moved)).toHaveLength(1);
    expect(await recordedPages()).toHaveLength(1);
  });

  it('records no rows when another worker has finished it, whatever the bank lists now', async () => {
    await startSync('one');
    await recordPage(contextOn(log, clock), pageOf('one', [row('a')]), knowsNothing);
    const late = await recordPage(contextOn(log, clock), pageOf('one', [row('a'), row('b')]), knowsNothing);
    expect(late.moved).toBe(false);
    expect(await recordedRows()).toBe(1);
    expect(await recordedPages()).toMatchObject([{ inserted: 1 }]);
  });

  it.each<SyncRunFact>([
    { type: 'SyncCompleted', data: { ...ENDED, completedAt: AT, balances: [] } },
    { type: 'SyncFailed', data: { ...ENDED, failedAt: AT, kind: 'permanent', nextAllowedAt: null, ...BANK_SAID } },
    { type: 'SyncCancelled', data: { ...ENDED, cancelledAt: AT } },
  ])('records no rows after $type', async (ended) => {
    await startSync('one');
    await continueSync(await holdSync(contextOn(log, clock), 'one'), ended);
    const late = await recordPage(contextOn(log, clock), pageOf('one', [row('a')]), knowsNothing);
    expect(late.moved).toBe(false);
    expect(await recordedRows()).toBe(0);
  });

  it('costs the same however many pages came before it', async () => {
    await startSync('long');
    let events = 0;
    const counted: EventLog = {
      ...bound(log),
      async readStream(stream, range) {
        const read = await log.readStream(stream, range);
        events += read.length;
        return read;
      },
    };
    const context = contextOn(counted, clock);
    const sync = await holdSync(context, 'long');
    const read: number[] = [];
    for (let page = 1; page <= 300; page += 1) {
      events = 0;
      const { syncId: _, ...given } = pageOf('long', [], { page, cursor: `${page - 1}`, nextCursor: `${page}` });
      expect(await recordSyncPage(context, sync, given, knowsNothing)).toEqual({ moved: true });
      read.push(events);
    }
    expect(Math.max(...read)).toBe(0);
    const found = await holdSync(contextOn(log, clock), 'long');
    expect(found.state()).toEqual(sync.state());
    expect(found.state().lastPage?.page).toBe(300);
  });

  it('sees what others have appended to its sync, a request to cancel or an end', async () => {
    await startSync('one');
    const context = contextOn(log, clock);
    const sync = await holdSync(context, 'one');
    await cancelSync(context, 'connection', 'one');
    const { syncId: _, ...first } = pageOf('one', [row('a')], { nextCursor: 'more' });
    expect(await recordSyncPage(context, sync, first, knowsNothing)).toEqual({ moved: true });
    expect(sync.state()).toMatchObject({ cancelRequested: true, lastPage: { page: 1 } });
    const ended: SyncRunFact = { type: 'SyncCancelled', data: { ...ENDED, cancelledAt: AT } };
    expect(await continueSync(await holdSync(context, 'one'), ended)).toBe(true);
    const { syncId: __, ...second } = pageOf('one', [row('b')], { page: 2, cursor: 'more' });
    expect(await recordSyncPage(context, sync, second, knowsNothing)).toEqual({ moved: false });
    expect(await recordedRows()).toBe(1);
  });

  it('is not lost when its sync changes between the look and the append', async () => {
    await startSync('one');
    const context = contextOn(log, clock);
    const cancelling: EventLog = {
      ...bound(log),
      async append(append) {
        await cancelSync(context, 'connection', 'one');
        return log.append(append);
      },
    };
    const own = contextOn(cancelling, clock);
    const sync = await holdSync(own, 'one');
    const { syncId: _, ...page } = pageOf('one', [row('a')]);
    expect(await recordSyncPage(own, sync, page, knowsNothing)).toEqual({ moved: true });
    expect(sync.state()).toMatchObject({ cancelRequested: true, lastPage: { page: 1 } });
    expect(await recordedPages()).toMatchObject([{ inserted: 1 }]);
  });

  it('finds the rows of another page or sync to be duplicates, with and without the read model’s help', async () => {
    await startSync('one');
    await startSync('two');
    await recordPage(contextOn(log, clock), pageOf('one', [row('a')], { nextCursor: 'more' }), knowsNothing);
    const second = pageOf('one', [row('a'), row('b')], { page: 2, cursor: 'more' });
    await recordPage(contextOn(log, clock), second, knowsNothing);
    const stamped = stampRows('account', 'window', [row('a')], new Map());
    const seenBefore = { syncId: 'one', syncPage: 1, status: true };
    const helped: LookUpKnown = async (ids) =>
      new Map(ids.slice(0, 1).map((id) => [id, { ...seenBefore, contentHash: stamped[0]?.contentHash ?? '' }]));
    await recordPage(contextOn(log, clock), pageOf('two', [row('a'), row('b')]), helped);
    expect(await recordedPages()).toMatchObject([
      { inserted: 1, duplicates: 0 },
      { inserted: 1, duplicates: 1 },
      { inserted: 0, duplicates: 2, conflicts: 0 },
    ]);
    expect(await recordedRows()).toBe(2);
  });

  it('notes other content under a known stamp, and withdrawals, once', async () => {
    await startSync('one');
    await startSync('two');
    await recordPage(contextOn(log, clock), pageOf('one', [row('a'), row('b')]), knowsNothing);
    const changed = pageOf('two', [row('a', { amount: '11' })], { withdrawn: ['b', 'never-seen'], nextCursor: 'x' });
    await recordPage(contextOn(log, clock), changed, knowsNothing);
    const again = { ...changed, page: 2, cursor: 'x', nextCursor: null };
    await recordPage(contextOn(log, clock), again, knowsNothing);
    expect((await recordedPages()).slice(1)).toMatchObject([
      { conflicts: 1, withdrawn: 1, duplicates: 1 },
      { conflicts: 1, withdrawn: 0, duplicates: 1 },
    ]);
    const { events } = await log.readAll({ after: LOG_START, limit: 1_000 });
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    expect([count('TransactionContentConflictSeen'), count('TransactionWithdrawn')]).toEqual([1, 1]);
  });

  it.each(['the log', 'the read model'])(
    'makes a withdrawn row that is listed again active again, as %s shows it',
    async (by) => {
      for (const syncId of ['one', 'two', 'three']) await startSync(syncId);
      const context = contextOn(log, clock);
      await recordPage(context, pageOf('one', [row('a'), row('b')]), knowsNothing);
      await recordPage(context, pageOf('two', [], { withdrawn: ['a', 'b'] }), knowsNothing);
      const rows = [row('a'), row('b', { amount: '11' })];
      const [a] = stampRows('account', 'window', [row('a')], new Map());
      const known = { syncId: 'one', syncPage: 1, contentHash: a?.contentHash ?? '', status: false };
      const lookUp: LookUpKnown = async (ids) => new Map(ids.map((id) => [id, known]));
      const again = pageOf('three', rows, { nextCursor: 'x' });
      await recordPage(context, again, by === 'the log' ? knowsNothing : lookUp);
      // Done again, and known by then or not, it is nothing new.
      await recordPage(context, { ...again, page: 2, cursor: 'x', nextCursor: null }, lookUp);
      const { events } = await log.readAll({ after: LOG_START, limit: 1_000 });
      const relisted = events.filter((event) => event.type === 'TransactionRelisted');
      expect(relisted).toHaveLength(2);
      expect(relisted[0]?.data).toMatchObject({ syncId: 'three', row: { amount: '10' }, counterparty: { idNo: '' } });
      expect((await recordedPages()).slice(2)).toMatchObject([{ duplicates: 2, conflicts: 1 }, { duplicates: 2 }]);
    },
  );

  it('changes no row of another company: no conflict, no withdrawal, no relisting', async () => {
    for (const syncId of ['one', 'two', 'three', 'four']) await startSync(syncId);
    const own = contextOn(log, clock);
    const other = { ...own, companyId: 'another company' };
    await recordPage(own, pageOf('one', [row('a'), row('b'), row('c')]), knowsNothing);
    await recordPage(own, pageOf('two', [], { withdrawn: ['c'] }), knowsNothing);
    const { events: before } = await log.readAll({ after: LOG_START, limit: 1_000, categories: ['bankTransaction'] });
    const changed = [row('a', { amount: '11' }), row('c')];
    await recordPage(other, pageOf('three', changed, { withdrawn: ['b'] }), knowsNothing);
    const { events } = await log.readAll({ after: LOG_START, limit: 1_000, categories: ['bankTransaction'] });
    expect(events).toEqual(before);
    await recordPage(own, pageOf('four', changed, { withdrawn: ['b'] }), knowsNothing);
    const all = await log.readAll({ after: LOG_START, limit: 1_000, categories: ['bankTransaction'] });
    expect(all.events.slice(before.length).map(({ type }) => type)).toEqual([
      'TransactionContentConflictSeen',
      'TransactionRelisted',
      'TransactionWithdrawn',
    ]);
  });

  it('leaves a row withdrawn that the same page lists and withdraws', async () => {
    await startSync('one');
    await startSync('two');
    const context = contextOn(log, clock);
    const page = pageOf('one', [row('a')], { withdrawn: ['a'], nextCursor: 'x' });
    await recordPage(context, page, knowsNothing);
    await recordPage(context, pageOf('two', [row('a')], { withdrawn: ['a'] }), knowsNothing);
    const { events } = await log.readAll({ after: LOG_START, limit: 1_000 });
    expect(events.map(({ type }) => type)).not.toContain('TransactionRelisted');
  });
});

function bound(target: EventLog): EventLog {
  return {
    append: (append) => target.append(append),
    appendMany: (appends) => target.appendMany(appends),
    readStream: (stream, options) => target.readStream(stream, options),
    readStreamPositions: (stream, options) => target.readStreamPositions(stream, options),
    readAll: (options) => target.readAll(options),
    subscribe: (options) => target.subscribe(options),
    head: () => target.head(),
    end: () => target.end(),
    remainder: (after) => target.remainder(after),
    ping: () => target.ping(),
    close: () => target.close(),
  };
}

describe('a batch whose payments are known', () => {
  const group = { key: 'A/EUR/2026-01-01/C30', size: 1, index: 0, formerDay: null };
  const batch = row(null, { amount: '30', description: 'batch', group });
  const details = [
    row(null, { amount: '10', description: 'first' }),
    row(null, { amount: '20', description: 'second' }),
  ];
  const record = async (syncId: string, given: IncomingTransaction[], lookUp: LookUpKnown = knowsNothing) => {
    await startSync(syncId);
    await recordPage(contextOn(log, clock), pageOf(syncId, given), lookUp);
    const { inserted, fetched, duplicates, conflicts } = (await recordedPages()).at(-1) ?? {};
    return { inserted, fetched, duplicates, conflicts };
  };

  it('is never added to its payments, nor they to it, also where nothing shows yet that the other is recorded', async () => {
    expect(await record('one', [batch])).toMatchObject({ inserted: 1 });
    const late = await record('two', [{ ...batch, details }]);
    expect(late).toEqual({ inserted: 0, fetched: 1, duplicates: 1, conflicts: 0 });
    expect(await recordedRows()).toBe(1);
  });

  it('counts its payments, and is one row of other content where they are gone', async () => {
    const split = await record('one', [{ ...batch, details }]);
    expect(split).toEqual({ inserted: 2, fetched: 2, duplicates: 0, conflicts: 0 });
    expect(await record('two', [{ ...batch, details }])).toMatchObject({ inserted: 0, fetched: 2, duplicates: 2 });
    expect(await record('three', [batch])).toEqual({ inserted: 0, fetched: 1, duplicates: 1, conflicts: 1 });
    expect(await recordedRows()).toBe(2);
  });

  it.each([
    ['before', [batch, { ...batch, details }]],
    ['behind', [{ ...batch, details }, batch]],
  ])(
    'is noted as no other content when one page lists it %s its payments, with and without them',
    async (_, listed) => {
      const both = await record('one', listed);
      expect(both).toMatchObject({ conflicts: 0 });
      const rows = await recordedRows();
      expect(await record('two', listed)).toMatchObject({ inserted: 0, conflicts: 0 });
      expect(await recordedRows()).toBe(rows);
    },
  );

  it('is noted as other content once where one page lists it in other words', async () => {
    const other = { ...batch, description: 'the batch in other words' };
    expect(await record('one', [batch, { ...batch, details }, other])).toMatchObject({ conflicts: 1 });
    expect(await record('two', [other, { ...batch, details }])).toMatchObject({ conflicts: 1 });
  });

  it('is noted as other content where it comes behind one in other words, with its payments', async () => {
    const other = { ...batch, description: 'the batch in other words' };
    expect(await record('one', [other, { ...batch, details }])).toMatchObject({ inserted: 1, conflicts: 1 });
    const { events } = await log.readAll({ after: LOG_START, limit: 1_000 });
    const seen = events.filter(({ type }) => type === 'TransactionContentConflictSeen');
    const difference = { field: 'description', recorded: other.description, seen: 'batch' };
    expect(seen).toMatchObject([{ data: { differences: [difference] } }]);
  });
});
