import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projections } from '../../src/projections/all.ts';
import {
  automationDone,
  connectDemoBank,
  runEnded,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

type Event = {
  eventId: string;
  eventType: string;
  title: string;
  entityType: string;
  entityId: string;
  position: string;
  recordedAt: string;
  actor: { type: string; id: string };
  correlationId: string;
  changes?: { path: string; before?: unknown; after?: unknown; text: string }[];
};
type List<Item> = { items: Item[]; nextCursor: string | null };
type Rule = { id: string; version: number; name: string; status: string };

let api: TestService;

const draft = (name: string) => ({
  name,
  conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
  actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId: name } }],
});
const pause = () => new Promise((done) => setTimeout(done, 5));
const get = async <Result>(path: string) => (await api.call<Result>('GET', path)).body.result;
/** Of the whole tenant: who there is belongs to no company. */
const getAll = async <Result>(path: string) =>
  (await api.call<Result>('GET', path, undefined, { 'x-company-id': undefined })).body.result;

/** Every read model has seen everything. */
async function settle(): Promise<void> {
  const { httpServices: services, log } = api.service;
  await services.waitFor(
    projections.map(({ name }) => name),
    await log.head(),
    20_000,
  );
}
/** A moment between two events: the log keeps its own time, to the millisecond. */
async function later(): Promise<string> {
  await settle();
  await pause();
  const at = new Date().toISOString();
  await pause();
  return at;
}

beforeAll(async () => {
  api = await startTestService();
});
afterAll(() => api.stop());

async function makeRule(name: string): Promise<Rule> {
  return (await api.call<Rule>('POST', '/banks/transaction-rules', draft(name))).body.result;
}

describe('the history of the tenant', () => {
  it('lists its events newest first, each with who, when and why', async () => {
    const rule = await makeRule('history');
    const headers = { 'x-request-id': 'request-of-the-pause' };
    await api.call('PATCH', `/banks/transaction-rules/${rule.id}/pause`, { version: 1 }, headers);
    await settle();
    const { items } = await get<List<Event>>('/banks/audit/history?limit=2');
    expect(items.map(({ eventType }) => eventType)).toEqual(['RulePaused', 'RuleCreated']);
    expect(items[0]).toMatchObject({
      title: 'The rule was paused',
      entityType: 'rule',
      entityId: rule.id,
      correlationId: 'request-of-the-pause',
      actor: { type: 'api-key' },
    });
    const all = await get<List<Event>>('/banks/audit/history?limit=200');
    expect(all.items.map(({ position }) => position)).toEqual(
      all.items
        .map(({ position }) => position)
        .toSorted()
        .reverse(),
    );
  });

  it('is filtered by each parameter, and paged without a gap', async () => {
    const rule = await makeRule('filtered');
    await settle();
    const of = async (query: string) => (await get<List<Event>>(`/banks/audit/history?${query}`)).items;
    expect(await of(`entityType=rule&entityId=${rule.id}`)).toHaveLength(1);
    const [created] = await of(`entityId=${rule.id}`);
    expect(await of(`correlationId=${created?.correlationId}`)).toHaveLength(1);
    for (const { eventType } of await of('eventType=RuleCreated')) expect(eventType).toBe('RuleCreated');
    expect(await of('actor=nobody')).toEqual([]);
    const whole = await of('limit=200');
    const paged: Event[] = [];
    for (let cursor = ''; ; ) {
      const page = await get<List<Event>>(`/banks/audit/history?limit=3${cursor}`);
      paged.push(...page.items);
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(paged.map(({ eventId }) => eventId)).toEqual(whole.map(({ eventId }) => eventId));
  });

  it('is limited by time, from included and to not', async () => {
    const from = await later();
    const rule = await makeRule('timed');
    const to = await later();
    await makeRule('too late');
    await settle();
    const { items } = await get<List<Event>>(`/banks/audit/history?from=${from}&to=${to}`);
    expect(items.map(({ entityId }) => entityId)).toEqual([rule.id]);
    expect((await get<List<Event>>(`/banks/audit/history?to=2020-01-01`)).items).toEqual([]);
  });
});

describe('the history of one entity', () => {
  it('shows for each event what it changed, field by field and in words', async () => {
    const rule = await makeRule('before');
    await api.call('PATCH', `/banks/transaction-rules/${rule.id}`, { version: 1, name: 'after' });
    const { items } = await get<List<Event>>(`/banks/audit/history/rule/${rule.id}`);
    expect(items.map(({ eventType }) => eventType)).toEqual(['RuleCreated', 'RuleChanged']);
    const texts = items[1]?.changes?.map(({ text }) => text);
    expect(texts).toContain('name went from "before" to "after"');
    expect(texts).toContain('version went from 1 to 2');
  });

  it('continues where a page ended', async () => {
    const rule = await makeRule('long');
    for (let version = 1; version <= 4; version += 1) {
      const change = version % 2 === 1 ? 'pause' : 'resume';
      await api.call('PATCH', `/banks/transaction-rules/${rule.id}/${change}`, { version });
    }
    const first = await get<List<Event>>(`/banks/audit/history/rule/${rule.id}?limit=2`);
    const second = await get<List<Event>>(`/banks/audit/history/rule/${rule.id}?limit=9&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items].map(({ eventType }) => eventType)).toEqual([
      'RuleCreated',
      'RulePaused',
      'RuleResumed',
      'RulePaused',
      'RuleResumed',
    ]);
    expect(second.items[0]?.changes?.map(({ text }) => text)).toContain('status went from "paused" to "active"');
  });

  it('shows the entity as it was, and the change between two moments', async () => {
    const before = await later();
    const rule = await makeRule('as it was');
    const made = await later();
    await api.call('PATCH', `/banks/transaction-rules/${rule.id}/archive`, { version: 1 });
    const archived = await later();
    const path = `/banks/audit/history/rule/${rule.id}`;
    type Then = {
      entity: { version: number; archivedAt?: string } | null;
      revision: number | null;
      logPosition: string;
    };
    expect(await get<Then>(`${path}/as-of?at=${before}`)).toMatchObject({ entity: null, revision: null });
    const then = await get<Then>(`${path}/as-of?at=${made}`);
    expect(then).toMatchObject({ entity: { version: 1, name: 'as it was' }, revision: 0 });
    expect(await get<Then>(`${path}/as-of?position=${then.logPosition}`)).toEqual(then);
    type Diff = { changes: { path: string }[] };
    const diff = await get<Diff>(`${path}/diff?from=${made}&to=${archived}`);
    expect(diff.changes.map((change) => change.path).sort()).toEqual(['archivedAt', 'updatedAt', 'version']);
    expect((await get<Diff>(`${path}/diff?from=${archived}&to=${archived}`)).changes).toEqual([]);
    const both = await api.call('GET', `${path}/as-of`);
    expect(both.body.code).toBe('VALIDATION_FAILED');
    expect((await api.call('GET', `${path}/as-of?at=2199-01-01`)).body.code).toBe('DATE_RANGE_INVALID');
  });

  it('exists for every kind of entity', async () => {
    const connection = await connectDemoBank(api, { transactionsPerDay: 2 });
    const sync = await syncAndWait(api, connection, { from: '2026-01-01', to: '2026-01-03' });
    await automationDone(api);
    const rule = await makeRule('every kind');
    const schedule = await api.call<{ id: string }>('POST', '/banks/schedules', {
      accountId: connection,
      everyMinutes: 60,
    });
    const run = await api.call<{ id: string }>('POST', `/banks/transaction-rules/${rule.id}/preview-runs`, {});
    const receiver = { url: 'https://receiver.example/', types: ['rule.updated'] };
    const webhook = await api.call<{ id: string; secret: string }>('POST', '/banks/webhooks', receiver);
    await settle();
    const [transaction] = (await get<List<{ id: string }>>('/banks/transactions?limit=1')).items;
    const [key] = (await getAll<List<Event>>('/banks/audit/history?eventType=ApiKeyCreated')).items;
    const [user] = (await getAll<List<Event>>('/banks/audit/history?eventType=UserCreated')).items;
    const [company] = (await get<List<Event>>('/banks/audit/history?eventType=CompanyCreated')).items;
    const ids = {
      connection,
      sync: sync.id,
      transaction: transaction?.id,
      rule: rule.id,
      run: run.body.result.id,
      schedule: schedule.body.result.id,
      'api-key': key?.entityId,
      user: user?.entityId,
      company: company?.entityId,
      webhook: webhook.body.result.id,
    };
    const position = await api.service.log.head();
    for (const [type, id] of Object.entries(ids)) {
      const list = await api.call<List<Event>>('GET', `/banks/audit/history/${type}/${id}`);
      expect([type, list.status, (list.body.result?.items.length ?? 0) > 0]).toEqual([type, 200, true]);
      const then = await get<{ entity: { id?: string } | null }>(
        `/banks/audit/history/${type}/${id}/as-of?position=${position}`,
      );
      expect([type, then.entity?.id]).toEqual([type, id]);
      expect(JSON.stringify([list.body, then])).not.toContain(webhook.body.result.secret);
    }
  });
});

describe('the provenance of an assignment', () => {
  it('leads from the assignment to the rule with the values it compared, the sync, the bank and the actor', async () => {
    // Enough that some of them are incoming, whatever the seed: the backfill needs one that came before the rule.
    const older = await connectDemoBank(api, { transactionsPerDay: 30 });
    await syncAndWait(api, older, { from: '2025-10-01', to: '2025-10-03' });
    const rule = await makeRule('provenance');
    const connection = await connectDemoBank(api, { transactionsPerDay: 5 });
    const sync = await syncAndWait(api, connection, { from: '2025-11-01', to: '2025-11-03' });
    await automationDone(api);
    await settle();
    type Item = { id: string; transactionId: string };
    const [byRule] = (await get<List<Item>>(`/banks/assignments?ruleId=${rule.id}&limit=1`)).items;
    const found = await get<Record<string, unknown>>(`/banks/audit/provenance/${byRule?.id}`);
    expect(found).toMatchObject({
      assignment: { id: byRule?.id, ruleId: rule.id },
      attached: { eventType: 'TransactionAssignmentAttached', actor: { type: 'system', id: 'automation' } },
      revoked: null,
      transaction: { id: byRule?.transactionId, recorded: { eventType: 'TransactionRecorded', actor: { id: 'sync' } } },
      sync: { id: sync.id, trigger: 'manual' },
      rule: { id: rule.id, version: 1, conditions: [{ field: 'incoming', value: true, seen: true, held: true }] },
      run: null,
    });
    expect((await api.call('GET', `/banks/audit/connector-logs/${found.connectorLogId}`)).status).toBe(200);

    const preview = await api.call<{ id: string }>('POST', `/banks/transaction-rules/${rule.id}/preview-runs`, {});
    await runEnded(api, preview.body.result.id);
    const body = { previewRunId: preview.body.result.id };
    const run = await api.call<{ id: string }>('POST', `/banks/transaction-rules/${rule.id}/backfill-runs`, body);
    await runEnded(api, run.body.result.id);
    await settle();
    type Match = { attachedIds: string[] };
    const { items } = await get<List<Match>>(`/banks/rule-runs/${run.body.result.id}/matches?outcome=attached&limit=1`);
    const byRun = await get<Record<string, unknown>>(`/banks/audit/provenance/${items[0]?.attachedIds[0]}`);
    expect(byRun).toMatchObject({ run: { id: run.body.result.id, type: 'backfill' }, rule: { id: rule.id } });
    expect((await api.call('GET', '/banks/audit/provenance/never')).body.code).toBe('ASSIGNMENT_NOT_FOUND');
  });
});

describe('lists as of a moment', () => {
  it('show what was known then: rows, filters and order', async () => {
    const connection = await connectDemoBank(api, { transactionsPerDay: 10 });
    await syncAndWait(api, connection, { from: '2025-12-01', to: '2025-12-05' });
    await automationDone(api);
    const scope = `accountId=${connection}&limit=200`;
    type Row = { id: string; assignmentSummary: { referenceKeys: string[] } };
    const before = await get<List<Row>>(`/banks/transactions?${scope}`);
    const first = before.items[0]?.id;
    const then = await later();
    const reference = { source: 'erp', entityType: 'invoice', externalId: 'as-of' };
    await api.call('POST', `/banks/transactions/${first}/assignments`, { reference });
    await syncAndWait(api, connection, { from: '2025-12-05', to: '2025-12-08' });
    await automationDone(api);
    await settle();

    const asOf = await api.call<List<Row>>('GET', `/banks/transactions?${scope}&asOf=${then}`);
    expect(asOf.body.result.items).toEqual(before.items);
    expect(asOf.headers.get('x-log-position')).not.toBeNull();
    const key = 'referenceKey=erp:invoice:as-of';
    expect((await get<List<Row>>(`/banks/transactions?${key}`)).items.map(({ id }) => id)).toEqual([first]);
    expect((await get<List<Row>>(`/banks/transactions?${key}&asOf=${then}`)).items).toEqual([]);
    expect((await get<List<unknown>>(`/banks/assignments?${key}&asOf=${then}`)).items).toEqual([]);
    expect((await get<List<unknown>>(`/banks/assignments?${key}`)).items).toHaveLength(1);

    const paged: Row[] = [];
    for (let cursor = ''; ; ) {
      const page = await get<List<Row>>(`/banks/transactions?accountId=${connection}&limit=7&asOf=${then}${cursor}`);
      paged.push(...page.items);
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(paged).toEqual(before.items);
  });

  it('are exported as they were known then: the same moment, the same bytes', async () => {
    const connection = await connectDemoBank(api, { transactionsPerDay: 10, seed: 'export then' });
    await syncAndWait(api, connection, { from: '2025-12-01', to: '2025-12-05' });
    await automationDone(api);
    const exported = async (query: string): Promise<{ text: string; position: string | null }> => {
      const url = `${api.service.url}/banks/transactions/export?accountId=${connection}&${query}`;
      const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret };
      const response = await fetch(url, { headers });
      return { text: await response.text(), position: response.headers.get('x-log-position') };
    };
    const before = await exported('');
    const then = await later();
    type Row = { id: string };
    const { items } = await get<List<Row>>(`/banks/transactions?accountId=${connection}&limit=200`);
    const reference = { source: 'erp', entityType: 'invoice', externalId: 'export then' };
    await api.call('POST', `/banks/transactions/${items[0]?.id}/assignments`, { reference });
    await syncAndWait(api, connection, { from: '2025-12-05', to: '2025-12-08' });
    await automationDone(api);
    await settle();

    const past = await exported(`asOf=${then}`);
    expect(past.text).toBe(before.text);
    expect(await exported(`asOf=${then}`)).toEqual(past);
    expect((await exported('')).text.length).toBeGreaterThan(past.text.length);
    const attached = 'referenceKey=erp:invoice:export then';
    expect((await exported(attached)).text.split('\r\n')).toHaveLength(3);
    expect((await exported(`${attached}&asOf=${then}`)).text.split('\r\n')).toHaveLength(2);
    const ahead = await api.call('GET', '/banks/transactions/export?asOf=2199-01-01');
    expect(ahead.body.code).toBe('DATE_RANGE_INVALID');
  });

  it.each(['transactions', 'assignments', 'transaction-rules', 'transactions/export'])(
    'are empty before the first event, at no position: %s',
    async (list) => {
      const answer = await fetch(`${api.service.url}/banks/${list}?asOf=2001-01-01`, {
        headers: { 'x-api-key': api.key, 'x-api-secret': api.secret, 'x-company-id': 'company-one' },
      });
      expect([answer.status, answer.headers.has('x-log-position')]).toEqual([200, false]);
      await answer.text();
    },
  );

  it('find a rule by the status it had', async () => {
    const rule = await makeRule('status');
    const then = await later();
    await api.call('PATCH', `/banks/transaction-rules/${rule.id}/pause`, { version: 1 });
    await later();
    const ids = async (query: string) =>
      (await get<List<Rule>>(`/banks/transaction-rules?limit=200&q=status&${query}`)).items.map(({ id }) => id);
    expect(await ids('status=active')).toEqual([]);
    expect(await ids(`status=active&asOf=${then}`)).toEqual([rule.id]);
    expect(await ids(`status=paused&asOf=${then}`)).toEqual([]);
  });
});
