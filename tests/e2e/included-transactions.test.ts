import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../support/signed-in.ts';
import {
  automationDone,
  connectDemoBank,
  runEnded,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

type Row = { readonly id: string; readonly amount: number; readonly currency: string };
type Verdict = { readonly transactionId: string };

const EVALUATE = '/banks/transaction-rules/evaluate';
const conditions = { children: [{ field: 'amount', operator: 'at_least', value: 300 }] };

let api: TestService;
let connection: string;

beforeAll(async () => {
  api = await startTestService();
  connection = await connectDemoBank(api, { seed: 'included', transactionsPerDay: 12 });
  await syncAndWait(api, connection, { from: '2026-03-01', to: '2026-03-03' });
  await automationDone(api);
});
afterAll(() => api.stop());

describe('include=transactions', () => {
  it('adds to an evaluation the rows that matched and those that did not', async () => {
    const body = { conditions, show: 5 };
    const { result } = (
      await api.call<{ matches: Verdict[]; misses: Verdict[]; transactions: Row[] }>(
        'POST',
        `${EVALUATE}?include=transactions`,
        body,
      )
    ).body;
    const named = [...result.matches, ...result.misses].map(({ transactionId }) => transactionId);
    expect(result.transactions.map(({ id }) => id)).toEqual(named);
    expect(result.matches.length * result.misses.length).toBeGreaterThan(0);
    const list = await api.call<{ items: Row[] }>('GET', '/banks/transactions?limit=200');
    expect(list.body.result.items).toEqual(expect.arrayContaining(result.transactions));
    const without = await api.call<object>('POST', EVALUATE, body);
    expect(Object.keys(without.body.result)).not.toContain('transactions');
  });

  it('adds the rows to the matches of a preview', async () => {
    const reference = { source: 'erp', entityType: 'invoice', externalId: '1' };
    const draft = { name: 'Large', conditions, actions: [{ type: 'attach_reference', reference }] };
    const rule = (await api.call<{ id: string }>('POST', '/banks/transaction-rules', draft)).body.result.id;
    const path = `/banks/transaction-rules/${rule}/preview-runs`;
    const run = (await api.call<{ id: string }>('POST', path, {})).body.result.id;
    await runEnded(api, run);
    const matches = `/banks/rule-runs/${run}/matches?limit=4&count=true&expand=account`;
    const { result } = (
      await api.call<{ items: Verdict[]; transactions: Row[]; expanded: { account: object }; nextCursor: string }>(
        'GET',
        `${matches}&include=transactions`,
      )
    ).body;
    expect(result.items).toHaveLength(4);
    expect(result.transactions.map(({ id }) => id).toSorted()).toEqual(
      result.items.map(({ transactionId }) => transactionId).toSorted(),
    );
    expect(Object.keys(result.expanded.account)).toEqual([connection]);
    const next = await api.call<{ items: Verdict[] }>(
      'GET',
      `${matches}&cursor=${encodeURIComponent(result.nextCursor)}`,
    );
    expect(next.status).toBe(200);
  });

  it('is refused to who may not read transactions', async () => {
    const admin = { authorization: `Bearer ${(await signIn(api)).accessToken}` };
    const body = { name: 'Rules only', scopes: ['rules:read', 'rules:write'] };
    const made = await api.call<{ key: string; secret: string }>('POST', '/auth/api-keys', body, admin);
    const { key, secret } = made.body.result;
    await api.service.httpServices.waitFor(['api-keys'], made.headers.get('x-log-position') ?? '', 100_000);
    const headers = { 'x-api-key': key, 'x-api-secret': secret };
    const refused = await api.call('POST', `${EVALUATE}?include=transactions`, { conditions }, headers);
    expect([refused.status, refused.body.code, refused.body.meta?.required]).toEqual([
      403,
      'PERMISSION_DENIED',
      'transactions:read',
    ]);
    const list = await api.call('GET', '/banks/rule-runs/none/matches?include=transactions', undefined, headers);
    expect(list.body.code).toBe('PERMISSION_DENIED');
    expect((await api.call('POST', EVALUATE, { conditions }, headers)).status).toBe(200);
  });
});

describe('what is lenient or said at once', () => {
  it('a currency is taken in any case', async () => {
    const upper = await api.call<{ items: Row[] }>('GET', '/banks/transactions?currency=EUR');
    const lower = await api.call<{ items: Row[] }>('GET', '/banks/transactions?currency=eUr');
    expect(upper.body.result.items.length).toBeGreaterThan(0);
    expect(lower.body.result).toEqual(upper.body.result);
    const figures = '/banks/analytics/queries/cash-flow/results?from=2026-03-01&to=2026-04-01';
    const one = await api.call<{ rows: unknown[] }>('GET', `${figures}&currency=EUR`);
    const other = await api.call<{ rows: unknown[] }>('GET', `${figures}&currency=eur`);
    expect(one.body.result.rows.length).toBeGreaterThan(0);
    expect(other.body.result.rows).toEqual(one.body.result.rows);
  });

  it('every fault of conditions is listed, with what fits there', async () => {
    const children = [
      { field: 'colour', operator: 'equals', value: 'red' },
      { field: 'amount', operator: 'contains', value: 1 },
    ];
    const { body } = await api.call('POST', EVALUATE, { conditions: { children } });
    const issues = body.meta?.issues as { path: string; message: string }[];
    expect([body.code, body.meta?.path]).toEqual(['RULE_CONDITION_INVALID', 'conditions.children.0.field']);
    expect(issues.map(({ path }) => path)).toEqual(['conditions.children.0.field', 'conditions.children.1.operator']);
    expect(issues[0]?.message).toContain('description, ');
  });
});
