import { setTimeout as wait } from 'node:timers/promises';
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

type Named = { readonly id: string };
/** A transaction and its explanation, as they were answered. */
type Answers = {
  readonly at: string;
  readonly whole: unknown;
  readonly why: unknown;
  readonly groups: readonly unknown[];
};
type Groups = { readonly items: { readonly by: string; readonly key: string }[]; readonly atLeast: boolean };

let api: TestService;
let id: string;
let before: string;
/** What was answered at each moment, in their order. */
const known: Answers[] = [];

const get = async <Result>(path: string): Promise<Result> => {
  const { status, body } = await api.call<Result>('GET', path);
  expect([path, status, body.code]).toEqual([path, 200, undefined]);
  return body.result;
};
const post = async (path: string, body: object = {}): Promise<string> =>
  (await api.call<Named>('POST', path, body)).body.result.id;

async function caughtUp(): Promise<void> {
  const names = projections.map(({ name }) => name);
  expect(await api.service.httpServices.waitFor(names, await api.service.log.head(), 20_000)).toBe(true);
}

/** A moment between what happened and what happens: of one millisecond are neither. */
async function moment(): Promise<string> {
  await caughtUp();
  await wait(5);
  const at = new Date().toISOString();
  await wait(5);
  return at;
}

async function remember(): Promise<void> {
  const at = await moment();
  const path = `/banks/transactions/${id}`;
  const whole = await get(path);
  const why = await get(`${path}/explanation`);
  known.push({ at, whole, why, groups: [await groups('counterparty'), await groups('description')] });
}

/** Without the samples, of which a group has some, and without the order among groups of one size. */
async function groups(by: string, more = ''): Promise<unknown> {
  const { items, atLeast } = await get<Groups>(`/banks/transactions/groups?by=${by}&sort=name&limit=200${more}`);
  return {
    atLeast,
    items: items
      .map((group) => ({ ...group, sampleTransactionIds: [] }))
      .toSorted((one, other) => (one.key < other.key ? -1 : 1)),
  };
}

async function ran(path: string, body: object = {}): Promise<string> {
  const run = await post(path, body);
  await runEnded(api, run);
  return run;
}

const rule = (externalId: string, conditions: object[], status = 'active') =>
  post('/banks/transaction-rules', {
    name: externalId,
    status,
    conditions: { combinator: 'all', children: conditions },
    actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId } }],
  });
const INCOMING = [{ field: 'incoming', operator: 'equals', value: true }];
const ALL = [{ field: 'amount', operator: 'at_least', value: 0 }];
const NONE = [{ field: 'amount', operator: 'at_least', value: 100_000_000 }];

beforeAll(async () => {
  api = await startTestService();
  await rule('live', INCOMING);
  before = await moment();
  const connection = await connectDemoBank(api, { transactionsPerDay: 8 });
  await syncAndWait(api, connection, { from: '2026-01-05', to: '2026-01-07' });
  await automationDone(api);
  const { items } = await get<{ items: Named[] }>('/banks/transactions?limit=1');
  id = items[0]?.id ?? '';
  await remember();

  const reference = { source: 'erp', entityType: 'invoice', externalId: 'by-hand' };
  const byHand = await post(`/banks/transactions/${id}/assignments`, { reference });
  await remember();

  for (const [name, conditions] of [
    ['matches', ALL],
    ['does-not', NONE],
  ] as const) {
    const ruleId = await rule(name, conditions, 'paused');
    const path = `/banks/transaction-rules/${ruleId}`;
    const run = await ran(`${path}/backfill-runs`, { previewRunId: await ran(`${path}/preview-runs`) });
    await remember();
    if (name === 'matches') {
      await ran(`/banks/rule-runs/${run}/revert`);
      await remember();
    }
  }
  await post(`/banks/transactions/${id}/assignments/${byHand}/revoke`);
  await remember();
});
afterAll(() => api.stop());

describe('a transaction as of a moment', () => {
  it('is what was answered then, with who attached what, and so is its explanation', async () => {
    expect(known).toHaveLength(6);
    expect(new Set(known.map(({ whole }) => JSON.stringify(whole))).size).toBeGreaterThanOrEqual(5);
    expect(new Set(known.map(({ why }) => JSON.stringify(why))).size).toBe(6);
    for (const { at, whole, why } of known) {
      const query = `asOf=${encodeURIComponent(at)}`;
      expect(await get(`/banks/transactions/${id}?${query}`), at).toEqual(whole);
      expect(await get(`/banks/transactions/${id}/explanation?${query}`), at).toEqual(why);
    }
  });

  it('was not there before it was recorded, and is nowhere in the future', async () => {
    for (const path of [`/banks/transactions/${id}`, `/banks/transactions/${id}/explanation`]) {
      const early = await api.call('GET', `${path}?asOf=${encodeURIComponent(before)}`);
      expect([path, early.status, early.body.code]).toEqual([path, 404, 'TRANSACTION_NOT_FOUND']);
      const ahead = await api.call('GET', `${path}?asOf=2199-01-01`);
      expect([path, ahead.status, ahead.body.code]).toEqual([path, 400, 'DATE_RANGE_INVALID']);
      const never = await api.call('GET', `${path.replace(id, 'never-issued')}?asOf=${encodeURIComponent(before)}`);
      expect([path, never.status]).toEqual([path, 404]);
    }
  });

  it('names the position that it is as of', async () => {
    const { at } = known[1] ?? { at: '' };
    const answer = await api.call('GET', `/banks/transactions/${id}/explanation?asOf=${encodeURIComponent(at)}`);
    expect(answer.headers.get('x-log-position')).not.toBeNull();
  });
});

describe('the groups of rows without an assignment, as of a moment', () => {
  it('are those that were answered then', async () => {
    expect(new Set(known.map((one) => JSON.stringify(one.groups))).size).toBeGreaterThanOrEqual(2);
    for (const { at, groups: then } of known) {
      const query = `&asOf=${encodeURIComponent(at)}`;
      expect([await groups('counterparty', query), await groups('description', query)], at).toEqual(then);
    }
  });

  it('take filters, count, come page by page, and were none before there were rows', async () => {
    const at = encodeURIComponent(known.at(-1)?.at ?? '');
    const path = `/banks/transactions/groups?by=counterparty&sort=name&asOf=${at}`;
    type Page = { items: { key: string; count: number }[]; nextCursor: string | null; count: { value: number } };
    const whole = await get<Page>(`${path}&limit=200&count=true`);
    expect(whole.count.value).toBe(whole.items.length);
    const paged: unknown[] = [];
    for (let cursor = ''; ; ) {
      const page = await get<Page>(`${path}&limit=2${cursor}`);
      paged.push(...page.items);
      if (page.nextCursor === null) break;
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    expect(paged).toEqual(whole.items);
    const incoming = await get<Page>(`${path}&incoming=true`);
    expect(incoming.items.length).toBeLessThan(whole.items.length);
    expect(await groups('counterparty', `&asOf=${encodeURIComponent(before)}`)).toEqual({ items: [], atLeast: false });
  });
});
