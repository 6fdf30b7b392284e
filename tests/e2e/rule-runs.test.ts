import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  automationDone,
  connectDemoBank,
  eventually,
  type Run,
  runEnded,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

type Match = { transactionId: string; outcome: string; attachedIds: string[]; revokedIds: string[] };
type Rule = { id: string; version: number };
type Transaction = {
  id: string;
  incoming: boolean;
  assignments?: { id: string; status: string; origin: string; ruleId: string | null }[];
};

let api: TestService;
beforeAll(async () => {
  api = await startTestService();
  const connection = await connectDemoBank(api, { transactionsPerDay: 20 });
  await syncAndWait(api, connection, { from: '2026-01-01', to: '2026-01-11' });
  await automationDone(api);
});
afterAll(() => api.stop());

let made = 0;
async function makeRule(conditions: object[], status = 'active'): Promise<Rule> {
  made += 1;
  const reference = { source: 'erp', entityType: 'invoice', externalId: `run-${made}` };
  const body = {
    name: `Run ${made}`,
    status,
    conditions: { combinator: 'all', children: conditions },
    actions: [{ type: 'attach_reference', reference }],
  };
  const created = await api.call<Rule>('POST', '/banks/transaction-rules', body);
  expect(created.status).toBe(201);
  return created.body.result;
}
const INCOMING = { field: 'incoming', operator: 'equals', value: true };

async function preview(rule: Rule, scope: object = {}): Promise<Run> {
  const asked = await api.call<Run>('POST', `/banks/transaction-rules/${rule.id}/preview-runs`, { scope });
  expect([asked.status, asked.body.result.type, asked.body.result.status]).toEqual([201, 'preview', 'pending']);
  return runEnded(api, asked.body.result.id);
}

async function backfill(rule: Rule, previewRunId: string): Promise<Run> {
  const asked = await api.call<Run>('POST', `/banks/transaction-rules/${rule.id}/backfill-runs`, { previewRunId });
  expect(asked.status, JSON.stringify(asked.body)).toBe(201);
  return runEnded(api, asked.body.result.id);
}

async function revert(id: string): Promise<Run> {
  const asked = await api.call<Run>('POST', `/banks/rule-runs/${id}/revert`);
  expect(asked.status, JSON.stringify(asked.body)).toBe(201);
  return runEnded(api, asked.body.result.id);
}

async function matchesOf(id: string): Promise<Match[]> {
  const all: Match[] = [];
  let cursor = '';
  do {
    const path = `/banks/rule-runs/${id}/matches?limit=200${cursor}`;
    const { items, nextCursor } = (await api.call<{ items: Match[]; nextCursor: string | null }>('GET', path)).body
      .result;
    all.push(...items);
    cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`;
  } while (cursor !== '');
  return all;
}

async function assignedBy(rule: Rule): Promise<string[]> {
  const list = await api.call<{ items: Transaction[] }>('GET', `/banks/transactions?ruleId=${rule.id}&limit=200`);
  return list.body.result.items.map(({ id }) => id).sort();
}

const transaction = async (id: string) => (await api.call<Transaction>('GET', `/banks/transactions/${id}`)).body.result;

describe('a preview', () => {
  it('counts and shows what a backfill would do, and attaches nothing', async () => {
    const rule = await makeRule([INCOMING], 'paused');
    const run = await preview(rule);
    expect(run).toMatchObject({ status: 'completed', candidateCount: 200, processedCount: 200, attachedCount: 0 });
    expect(run.matchedCount).toBeGreaterThan(20);
    expect(run.sampleTransactionIds).toHaveLength(20);
    const matches = await matchesOf(run.id);
    expect(matches).toHaveLength(run.matchedCount);
    expect(new Set(matches.map(({ outcome }) => outcome))).toEqual(new Set(['attached']));
    expect(await assignedBy(rule)).toEqual([]);
  });

  it('is limited by its scope', async () => {
    const rule = await makeRule([INCOMING]);
    const narrow = await preview(rule, { from: '2026-01-03', to: '2026-01-05', bankCodes: ['demo'] });
    expect(narrow).toMatchObject({ candidateCount: 40 });
    expect(await preview(rule, { bankCodes: ['statement-files'] })).toMatchObject({
      status: 'completed',
      candidateCount: 0,
      matchedCount: 0,
    });
  });
});

describe('the explanation of a transaction', () => {
  it('holds every rule that looked at it, live, by backfill and by revert, and what each attached', async () => {
    const rule = await makeRule([INCOMING]);
    const other = await makeRule([{ field: 'amount', operator: 'at_least', value: 100_000_000 }], 'paused');
    const done = await backfill(rule, (await preview(rule)).id);
    const nothing = await backfill(other, (await preview(other)).id);
    const [match] = await matchesOf(done.id);
    const undone = await revert(done.id);
    const id = match?.transactionId ?? '';
    type Look = {
      by: string;
      runId: string | null;
      ruleId: string;
      version: number;
      matched: boolean;
      attachedIds: string[];
      revokedIds: string[];
      conditions: { seen: unknown; held: boolean }[];
    };
    const path = `/banks/transactions/${id}/explanation`;
    const { result } = (await api.call<{ rules: Look[]; olderRuns: boolean }>('GET', path)).body;
    const ofRuns = result.rules.filter(({ ruleId }) => [rule.id, other.id].includes(ruleId));
    expect(ofRuns.map(({ by, runId, ruleId, matched }) => [by, runId, ruleId, matched])).toEqual([
      ['backfill', done.id, rule.id, true],
      ['backfill', nothing.id, other.id, false],
      ['revert', undone.id, rule.id, true],
    ]);
    expect(ofRuns[0]).toMatchObject({
      version: 1,
      attachedIds: match?.attachedIds,
      conditions: [{ seen: true, held: true }],
    });
    expect(ofRuns[1]).toMatchObject({ attachedIds: [], conditions: [{ held: false }] });
    expect(ofRuns[2]).toMatchObject({ attachedIds: [], revokedIds: match?.attachedIds });
    expect(result.olderRuns).toBe(false);
    // Of another company's or scope's runs it knows nothing.
    const narrow = await makeRule([INCOMING], 'paused');
    await backfill(narrow, (await preview(narrow, { bankCodes: ['statement-files'] })).id);
    const again = (await api.call<{ rules: Look[] }>('GET', path)).body.result.rules;
    expect(again.some(({ ruleId }) => ruleId === narrow.id)).toBe(false);
  });
});

describe('a backfill', () => {
  it('names the position that a reader waits for to find what it attached', async () => {
    const rule = await makeRule([INCOMING]);
    const { id, matchedCount } = await preview(rule);
    const asked = await api.call<Run>('POST', `/banks/transaction-rules/${rule.id}/backfill-runs`, {
      previewRunId: id,
    });
    const ended = await eventually(
      () => api.call<Run | null>('GET', `/banks/rule-runs/${asked.body.result.id}`),
      ({ body }) => body.result?.status === 'completed',
    );
    const headers = { 'x-min-log-position': ended.headers.get('x-log-position') ?? '' };
    const path = `/banks/transactions?ruleId=${rule.id}&limit=200`;
    const { body } = await api.call<{ items: unknown[] }>('GET', path, undefined, headers);
    expect(body.result.items).toHaveLength(matchedCount);
    expect(headers['x-min-log-position']).not.toBe('');
  });

  it('attaches exactly what its preview found, once, and says for each transaction what it did', async () => {
    const rule = await makeRule([INCOMING]);
    const found = await preview(rule);
    const run = await backfill(rule, found.id);
    expect(run).toMatchObject({ status: 'completed', matchedCount: found.matchedCount, revokedCount: 0 });
    expect(run.attachedCount).toBe(found.matchedCount);
    const matches = await matchesOf(run.id);
    expect(matches.map(({ transactionId }) => transactionId).sort()).toEqual(await assignedBy(rule));
    const again = await backfill(rule, (await preview(rule)).id);
    expect(again).toMatchObject({ matchedCount: found.matchedCount, attachedCount: 0, revokedCount: 0 });
    expect((await matchesOf(again.id)).every(({ outcome }) => outcome === 'already_attached')).toBe(true);
  });

  it('revokes what the edited rule no longer attaches, and keeps what people did', async () => {
    const rule = await makeRule([INCOMING]);
    await backfill(rule, (await preview(rule)).id);
    const [sentAway = '', byHand = ''] = await assignedBy(rule);
    const { assignments = [] } = await transaction(sentAway);
    const mine = assignments.find((one) => one.status === 'active' && one.ruleId === rule.id);
    await api.call('POST', `/banks/transactions/${sentAway}/assignments/${mine?.id}/revoke`, { reason: 'not ours' });
    const reference = { source: 'erp', entityType: 'invoice', externalId: 'by-hand' };
    await api.call('POST', `/banks/transactions/${byHand}/assignments`, { reference });

    const suppressed = await backfill(rule, (await preview(rule)).id);
    const outcomes = new Map((await matchesOf(suppressed.id)).map((one) => [one.transactionId, one.outcome]));
    expect(outcomes.get(sentAway)).toBe('suppressed');
    expect(suppressed.attachedCount).toBe(0);

    const conditions = { combinator: 'all', children: [{ field: 'amount', operator: 'less_than', value: 0.01 }] };
    await api.call('PATCH', `/banks/transaction-rules/${rule.id}`, { version: rule.version, conditions });
    const found = await preview(rule);
    const run = await backfill(rule, found.id);
    expect(run).toMatchObject({ matchedCount: 0, attachedCount: 0, revokedCount: found.revokedCount });
    expect(run.revokedCount).toBe(suppressed.matchedCount);
    expect(await assignedBy(rule)).toEqual([]);
    const kept = (await transaction(byHand)).assignments?.filter((one) => one.status === 'active');
    expect(kept?.map((one) => one.origin)).toContain('manual');
  });

  it('does not change transactions recorded after its preview', async () => {
    const rule = await makeRule([INCOMING], 'paused');
    const found = await preview(rule);
    const connection = await connectDemoBank(api, { transactionsPerDay: 20 });
    await syncAndWait(api, connection, { from: '2026-02-01', to: '2026-02-03' });
    const run = await backfill(rule, found.id);
    expect(run).toMatchObject({ candidateCount: found.candidateCount, attachedCount: found.matchedCount });
  });

  it('refuses a preview that is used, stale, of another rule, or none', async () => {
    const rule = await makeRule([INCOMING]);
    const found = await preview(rule);
    const start = (previewRunId: string, of = rule) =>
      api.call<Run>('POST', `/banks/transaction-rules/${of.id}/backfill-runs`, { previewRunId });
    const other = await makeRule([INCOMING]);
    expect((await start(found.id, other)).body.code).toBe('RUN_NOT_FOUND');
    const first = await backfill(rule, found.id);
    expect((await start(found.id)).body).toMatchObject({ code: 'PREVIEW_ALREADY_USED', meta: { runId: first.id } });
    expect((await start(first.id)).body.code).toBe('RUN_NOT_FOUND');
    expect((await start('no id & \u{f0000}')).body.code).toBe('RUN_NOT_FOUND');
    const stale = await preview(rule);
    await api.call('PATCH', `/banks/transaction-rules/${rule.id}`, { version: rule.version, tags: ['new'] });
    expect((await start(stale.id)).body.code).toBe('PREVIEW_STALE');
  });

  it('is started once by ten requests at once', async () => {
    const rule = await makeRule([INCOMING]);
    const found = await preview(rule);
    const path = `/banks/transaction-rules/${rule.id}/backfill-runs`;
    const asked = await Promise.all(
      Array.from({ length: 10 }, () => api.call<Run>('POST', path, { previewRunId: found.id })),
    );
    const started = asked.filter(({ status }) => status === 201);
    expect(started).toHaveLength(1);
    for (const { status, body } of asked) {
      if (status !== 201) expect(['PREVIEW_ALREADY_USED', 'RUN_IN_PROGRESS']).toContain(body.code);
    }
    await runEnded(api, started[0]?.body.result.id ?? '');
  });
});

describe('a revert', () => {
  it('undoes what the run did and no more, and can itself be reverted', async () => {
    const rule = await makeRule([INCOMING]);
    const run = await backfill(rule, (await preview(rule)).id);
    const attached = await assignedBy(rule);
    const undone = await revert(run.id);
    expect(undone).toMatchObject({ type: 'revert', status: 'completed', revokedCount: run.attachedCount });
    expect(await assignedBy(rule)).toEqual([]);
    const again = await api.call('POST', `/banks/rule-runs/${run.id}/revert`);
    expect(again.body).toMatchObject({ code: 'RUN_ALREADY_REVERTED', meta: { runId: undone.id } });
    const redone = await revert(undone.id);
    expect(redone).toMatchObject({ attachedCount: run.attachedCount, revokedCount: 0 });
    expect(await assignedBy(rule)).toEqual(attached);
  });

  it('keeps what a person has done since', async () => {
    const rule = await makeRule([INCOMING]);
    const run = await backfill(rule, (await preview(rule)).id);
    const [sentAway = ''] = await assignedBy(rule);
    const { assignments = [] } = await transaction(sentAway);
    const mine = assignments.find((one) => one.status === 'active' && one.ruleId === rule.id);
    await api.call('POST', `/banks/transactions/${sentAway}/assignments/${mine?.id}/revoke`, {});
    const undone = await revert(run.id);
    const outcomes = new Map((await matchesOf(undone.id)).map((one) => [one.transactionId, one.outcome]));
    expect(outcomes.get(sentAway)).toBe('kept');
    expect(undone.revokedCount).toBe(run.attachedCount - 1);
  });

  it('is not for previews', async () => {
    const found = await preview(await makeRule([INCOMING]));
    const refused = await api.call('POST', `/banks/rule-runs/${found.id}/revert`);
    expect(refused.body).toMatchObject({ code: 'RUN_NOT_REVERTIBLE', meta: { type: 'preview' } });
  });
});

describe('the list of runs', () => {
  it('is newest first and filtered by rule, type and status', async () => {
    const rule = await makeRule([INCOMING]);
    const found = await preview(rule);
    await backfill(rule, found.id);
    const path = `/banks/rule-runs?ruleId=${rule.id}`;
    const all = await api.call<{ items: Run[] }>('GET', path);
    expect(all.body.result.items.map(({ type }) => type)).toEqual(['backfill', 'preview']);
    const previews = await api.call<{ items: Run[] }>('GET', `${path}&type=preview&status=completed`);
    expect(previews.body.result.items.map(({ id }) => id)).toEqual([found.id]);
  });

  it('distinguishes an ended run from one that can be cancelled', async () => {
    const found = await preview(await makeRule([INCOMING]));
    const refused = await api.call('POST', `/banks/rule-runs/${found.id}/cancel`);
    expect([refused.status, refused.body.code]).toEqual([409, 'RUN_ENDED']);
  });
});
