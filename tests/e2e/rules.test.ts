import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamName } from '../../src/log/streams.ts';
import { recordedData } from '../support/facts.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  eventually,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

let api: TestService;
beforeAll(async () => {
  api = await startTestService();
});
afterAll(() => api.stop());

const incoming = { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] };
const reference = { source: 'erp', entityType: 'customer', externalId: 'C-1' };

function draft(changes: Record<string, unknown> = {}) {
  return { name: 'Rule', conditions: incoming, actions: [{ type: 'attach_reference', reference }], ...changes };
}

type Rule = {
  id: string;
  version: number;
  status: string;
  snapshotHash: string;
  referenceKey: string;
  archivedAt?: string;
};

async function created(changes: Record<string, unknown> = {}): Promise<Rule> {
  const { body, status } = await api.call<Rule>('POST', '/banks/transaction-rules', draft(changes));
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.result;
}

describe('a rule', () => {
  it('of conditions without a combinator requires all of them', async () => {
    const { children } = incoming;
    const { body, status } = await api.call<{ conditions: unknown }>(
      'POST',
      '/banks/transaction-rules',
      draft({ conditions: { children } }),
    );
    expect([status, body.result.conditions]).toEqual([201, incoming]);
  });

  it('compares and shows an amount of more than 15 digits to the last one', async () => {
    const amount = '12345678901234567.89';
    let position: string | null = null;
    const send = async (method: string, path: string, body?: string): Promise<string> => {
      const headers = {
        ...(position === null ? {} : { 'x-min-log-position': position }),
        'x-api-key': api.key,
        'x-api-secret': api.secret,
        'x-company-id': COMPANY,
        'content-type': 'application/json',
      };
      const response = await fetch(`${api.service.url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      position = response.headers.get('x-log-position') ?? position;
      return response.text();
    };
    const text = JSON.stringify(
      draft({ conditions: { combinator: 'all', children: [{ field: 'amount', operator: 'equals', value: 0 }] } }),
    ).replace('"value":0', `"value":${amount}`);
    const answer = await send('POST', '/banks/transaction-rules', text);
    expect(answer).toContain(`"value":${amount}}`);
    const { id } = (JSON.parse(answer) as { result: Rule }).result;
    expect(await send('GET', `/banks/transaction-rules/${id}`)).toContain(`"value":${amount}}`);

    const transactionId = randomUUID();
    const { log } = api.service;
    const metadata = {
      schemaVersion: 1,
      tenantId: api.tenantId,
      companyId: COMPANY,
      actor: { type: 'system', id: 'sync' } as const,
      correlationId: 'planted',
      causationId: null,
    };
    const data = recordedData({ transactionId, providerStamp: transactionId, amount, balance: `-${amount}` });
    const event = {
      id: randomUUID(),
      type: 'TransactionRecorded',
      data: { ...data, fetchedAt: new Date().toISOString() },
      metadata,
    };
    const stream = streamName('bankTransaction', api.tenantId, transactionId);
    await log.append({ stream, expected: 'no-stream', events: [event] });
    const shown = await eventually(
      () => send('GET', `/banks/transactions/${transactionId}`),
      // A batch of a subscription may end between the evaluation and what it attached.
      (one) => one.includes('"completed"') && one.includes(`"ruleId":"${id}"`),
    );
    expect(shown).toContain(`"amount":${amount},"balance":-${amount},`);
    expect(await send('GET', `/banks/transactions/${transactionId}/explanation`)).toContain(`"value":${amount},`);
  });

  it('is created active, at version 1, with its target fields', async () => {
    const { status, body } = await api.call('POST', '/banks/transaction-rules', draft({ tags: ['a', 'a', 'b'] }));
    expect(status).toBe(201);
    expect(body.result).toMatchObject({
      status: 'active',
      version: 1,
      referenceKey: 'erp:customer:C-1',
      targetSource: 'erp',
      targetEntityType: 'customer',
      targetExternalId: 'C-1',
      tags: ['a', 'b'],
      conditions: { combinator: 'all' },
    });
  });

  it('increases its version with each accepted change, and keeps its snapshotHash when paused', async () => {
    const rule = await created();
    const path = `/banks/transaction-rules/${rule.id}`;
    const paused = await api.call<Rule>('PATCH', `${path}/pause`, { version: 1 });
    expect(paused.body.result).toMatchObject({ status: 'paused', version: 2, snapshotHash: rule.snapshotHash });
    const again = await api.call<Rule>('PATCH', `${path}/pause`, { version: 2 });
    expect([again.status, again.body.result.version]).toEqual([200, 2]);
    expect(again.headers.get('x-log-position')).toBeNull();
    const stale = await api.call('PATCH', `${path}/resume`, { version: 1 });
    expect([stale.status, stale.body.code, stale.body.meta?.currentVersion]).toEqual([409, 'RULE_VERSION_CONFLICT', 2]);
    const resumed = await api.call<Rule>('PATCH', `${path}/resume`, { version: 2 });
    expect(resumed.body.result).toMatchObject({ status: 'active', version: 3 });
    const renamed = await api.call<Rule>('PATCH', path, { version: 3, name: 'Other' });
    expect(renamed.body.result).toMatchObject({ version: 4, snapshotHash: rule.snapshotHash });
    const same = await api.call<Rule>('PATCH', path, { version: 4, name: 'Other' });
    expect(same.body.result.version).toBe(4);
    const tagged = await api.call<Rule>('PATCH', path, { version: 4, tags: ['x'] });
    expect(tagged.body.result.snapshotHash).not.toBe(rule.snapshotHash);
    const archived = await api.call<Rule>('PATCH', `${path}/archive`, { version: 5 });
    expect(archived.body.result.archivedAt).toEqual(expect.any(String));
    const final = await api.call('PATCH', `${path}/resume`, { version: 6 });
    expect([final.status, final.body.code]).toEqual([409, 'RULE_ARCHIVED']);
    const position = archived.headers.get('x-log-position') ?? '';
    const versions = await api.call<{ items: Rule[] }>('GET', `${path}/versions`, undefined, {
      'x-min-log-position': position,
    });
    expect(versions.body.result.items.map((one) => one.version)).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it.each([
    [{ name: 'x'.repeat(121) }, 'VALIDATION_FAILED'],
    [{ name: undefined }, 'VALIDATION_FAILED'],
    [{ description: 'x'.repeat(501) }, 'VALIDATION_FAILED'],
    [{ actions: [] }, 'VALIDATION_FAILED'],
    [{ actions: [{ type: 'delete_everything', reference }] }, 'VALIDATION_FAILED'],
    [{ actions: [{ type: 'attach_reference', reference: { ...reference, source: 'Not Fit' } }] }, 'VALIDATION_FAILED'],
    [{ actions: [{ type: 'attach_reference', reference: { ...reference, colour: 1 } }] }, 'VALIDATION_FAILED'],
    [{ conditions: undefined }, 'VALIDATION_FAILED'],
    [{ conditions: { combinator: 'all', children: [] } }, 'RULE_CONDITION_INVALID'],
    [{ conditions: { combinator: 'all', children: Array(3).fill(incoming.children[0]) } }, 'RULE_CONDITION_INVALID'],
    [
      { conditions: { combinator: 'all', children: [{ field: 'amount', operator: 'equals', value: { $gt: 0 } }] } },
      'RULE_CONDITION_INVALID',
    ],
    [{ tags: Array(21).fill('t') }, 'VALIDATION_FAILED'],
  ])('is refused with %j', async (changes, code) => {
    const answer = await api.call('POST', '/banks/transaction-rules', draft(changes));
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });

  it.each([
    [20, 'RULE_TOO_COMPLEX'],
    [1_000, 'BODY_MALFORMED'],
  ])('%i levels deep is refused, not survived', async (levels, code) => {
    const deep = `${'{"combinator":"all","children":['.repeat(levels)}${JSON.stringify(incoming.children[0])}${']}'.repeat(levels)}`;
    const body = JSON.stringify(draft()).replace(JSON.stringify(incoming), deep);
    const answer = await api.call('POST', '/banks/transaction-rules', body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });
});

describe('the list of rules', () => {
  it('filters by status, reference, tag, archived and words', async () => {
    const rule = await created({ name: 'İstanbul KİRA', tags: ['only-here'], status: 'paused' });
    const archived = await created({ name: 'gone', tags: ['only-here'] });
    const { headers } = await api.call('PATCH', `/banks/transaction-rules/${archived.id}/archive`, { version: 1 });
    const seen = { 'x-min-log-position': headers.get('x-log-position') ?? '' };
    for (const [query, ids] of [
      ['tag=only-here', [rule.id, archived.id]],
      ['tag=only-here&archived=false', [rule.id]],
      ['tag=only-here&archived=true', [archived.id]],
      ['tag=only-here&status=paused', [rule.id]],
      ['q=istanbul', [rule.id]],
      ['tag=only-here&referenceKey=erp:customer:C-1&q=kir', [rule.id]],
    ] as const) {
      const list = await api.call<{ items: Rule[] }>('GET', `/banks/transaction-rules?${query}`, undefined, seen);
      expect(list.body.result.items.map((one) => one.id)).toEqual(ids);
    }
  });
});

describe('automation', () => {
  type Transaction = {
    id: string;
    incoming: boolean;
    version: string;
    automation: { status: string; attempts: number };
    assignmentSummary: { count: number; referenceKeys: string[]; tags: string[] };
    assignments: { id: string; ruleId: string; ruleVersion: number; status: string }[];
  };

  it('attaches what matches while the rule is active, explains it, and respects what a person revoked', async () => {
    const description = { field: 'bankCode', operator: 'equals', value: 'DEMO' };
    const conditions = { combinator: 'all', children: [incoming.children[0], description] };
    const mine = { ...reference, externalId: 'AUTO-1' };
    const rule = await created({
      conditions,
      actions: [{ type: 'attach_reference', reference: mine }],
      tags: ['auto'],
    });
    const asleep = await created({
      status: 'paused',
      actions: [{ type: 'attach_reference', reference: { ...mine, externalId: 'NEVER' } }],
    });
    const id = await connectDemoBank(api);
    await syncAndWait(api, id, { from: '2026-01-01', to: '2026-01-11' });
    await automationDone(api);

    const assigned = await api.call<{ items: Transaction[] }>(
      'GET',
      `/banks/transactions?accountId=${id}&ruleId=${rule.id}&limit=200`,
    );
    const all = await api.call<{ items: Transaction[] }>('GET', `/banks/transactions?accountId=${id}&limit=200`);
    expect(assigned.body.result.items.map((one) => one.id).sort()).toEqual(
      all.body.result.items
        .filter((one) => one.incoming)
        .map((one) => one.id)
        .sort(),
    );
    const [transaction] = assigned.body.result.items;
    if (transaction === undefined) throw new Error('nothing was assigned');
    expect(transaction.assignmentSummary).toMatchObject({
      referenceKeys: expect.arrayContaining(['erp:customer:AUTO-1']),
    });
    expect(transaction.assignmentSummary.tags).toContain('auto');

    const reverse = await api.call<{ items: { transactionId: string }[] }>(
      'GET',
      '/banks/assignments?externalId=AUTO-1&status=active&limit=200',
    );
    expect(new Set(reverse.body.result.items.map((one) => one.transactionId))).toEqual(
      new Set(assigned.body.result.items.map((one) => one.id)),
    );

    const explanation = await api.call<{
      rules: { by: string; ruleId: string; attachedIds: string[] }[];
      evaluation: {
        digestVerified: boolean;
        rules: { ruleId: string; matched: boolean; conditions: { seen: unknown; held: boolean }[] }[];
      };
    }>('GET', `/banks/transactions/${transaction.id}/explanation`);
    const { evaluation } = explanation.body.result;
    expect(evaluation.digestVerified).toBe(true);
    const { rules } = explanation.body.result;
    expect(rules.filter(({ by }) => by === 'live')).toHaveLength(evaluation.rules.length);
    expect(rules.find(({ ruleId }) => ruleId === rule.id)?.attachedIds).toHaveLength(1);
    expect(evaluation.rules.some((one) => one.ruleId === asleep.id)).toBe(false);
    expect(evaluation.rules.find((one) => one.ruleId === rule.id)).toMatchObject({
      matched: true,
      conditions: [
        { seen: true, held: true },
        { seen: 'demo', held: true },
      ],
    });

    const one = await api.call<Transaction>('GET', `/banks/transactions/${transaction.id}`);
    const attached = one.body.result.assignments.find((assignment) => assignment.ruleId === rule.id);
    const path = `/banks/transactions/${transaction.id}/assignments/${attached?.id}/revoke`;
    const revoked = await api.call<{ status: string; revokedReason: string }>('POST', path, { reason: 'not theirs' });
    expect(revoked.body.result).toMatchObject({ status: 'revoked', revokedReason: 'not theirs' });
    const twice = await api.call('POST', path, {});
    expect([twice.status, twice.body.code]).toEqual([409, 'ASSIGNMENT_REVOKED']);
  });

  it('is retried by hand only from retry or dead', async () => {
    const list = await api.call<{ items: Transaction[] }>('GET', '/banks/transactions?limit=1');
    const path = `/banks/transactions/${list.body.result.items[0]?.id}/automation/retry`;
    const answer = await api.call('POST', path);
    expect([answer.status, answer.body.code, answer.body.meta?.status]).toEqual([
      409,
      'AUTOMATION_NOT_RETRYABLE',
      'completed',
    ]);
  });

  it('does not change transactions recorded before the rule', async () => {
    const id = await connectDemoBank(api);
    await syncAndWait(api, id, { from: '2026-01-01', to: '2026-01-04' });
    await automationDone(api);
    const late = await created({
      actions: [{ type: 'attach_reference', reference: { ...reference, externalId: 'LATE' } }],
    });
    await syncAndWait(api, id, { from: '2026-01-01', to: '2026-01-08' });
    await automationDone(api);
    const fresh = await eventually(
      async () =>
        (
          await api.call<{ items: (Transaction & { transactionDate: string })[] }>(
            'GET',
            `/banks/transactions?accountId=${id}&ruleId=${late.id}&limit=200`,
          )
        ).body.result.items,
      (items) => items.length > 0,
    );
    expect(fresh.every((one) => one.transactionDate >= '2026-01-04')).toBe(true);
  });
});

describe('assigning by hand', () => {
  it('attaches once, and again after a revocation', async () => {
    const list = await api.call<{ items: { id: string }[] }>('GET', '/banks/transactions?limit=1');
    const path = `/banks/transactions/${list.body.result.items[0]?.id}/assignments`;
    const body = { reference: { ...reference, externalId: 'HAND', label: 'By hand' }, tags: ['manual'] };
    const first = await api.call<{ id: string; origin: string }>('POST', path, body);
    expect([first.status, first.body.result.origin]).toEqual([201, 'manual']);
    const again = await api.call('POST', path, body);
    expect([again.status, again.body.code]).toEqual([409, 'ASSIGNMENT_EXISTS']);
    const revoked = await api.call('POST', `${path}/${first.body.result.id}/revoke`);
    expect(revoked.status).toBe(200);
    const third = await api.call('POST', path, body);
    expect(third.status).toBe(201);
    const seen = { 'x-min-log-position': third.headers.get('x-log-position') ?? '' };
    const all = await api.call<{ items: { status: string; reference: { externalId: string } }[] }>(
      'GET',
      path,
      undefined,
      seen,
    );
    const mine = all.body.result.items.filter((one) => one.reference.externalId === 'HAND');
    expect(mine.map((one) => one.status)).toEqual(['revoked', 'active']);
  });
});

describe('evaluating a draft', () => {
  it('shows what would match and which condition failed, and stores nothing', async () => {
    const list = await api.call<{ items: { id: string; incoming: boolean }[] }>('GET', '/banks/transactions?limit=20');
    const some = list.body.result.items;
    const answer = await api.call<{
      candidateCount: number;
      matchedCount: number;
      misses: { transactionId: string; conditions: { held: boolean }[] }[];
      unknownTransactionIds: string[];
    }>('POST', '/banks/transaction-rules/evaluate', {
      conditions: incoming,
      transactionIds: [...some.map((one) => one.id), 'never-issued'],
    });
    expect(answer.status).toBe(200);
    expect(answer.body.result).toMatchObject({
      candidateCount: some.length,
      matchedCount: some.filter((one) => one.incoming).length,
      unknownTransactionIds: ['never-issued'],
    });
    expect(answer.body.result.misses.every((miss) => miss.conditions.some((condition) => !condition.held))).toBe(true);
  });
});
