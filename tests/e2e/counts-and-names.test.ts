import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countedWhere, MOST_COUNTED } from '../../src/http/paging/count.ts';
import { companies as companiesOf } from '../../src/projections/tenancy.ts';
import { openReader } from '../../src/queries/reader.ts';
import { type Documented, documentedOperations, filledPath, parametersOf } from '../support/documented.ts';
import { type Headers, OPERATOR_TOKEN, type PlantedTenant, plantTenant } from '../support/planted-tenant.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

type Named = { readonly id: string; readonly name: string; readonly type?: string };
type List = {
  readonly items: readonly Record<string, unknown>[];
  readonly rows?: readonly Record<string, unknown>[];
  readonly nextCursor: string | null;
  readonly count?: { readonly value: number; readonly atLeast: boolean };
  readonly expanded?: Readonly<Record<'account' | 'rule' | 'company' | 'actor', Readonly<Record<string, Named>>>>;
};

const ALL = 'expand=account,rule,company,actor';
const BY_PERSON = new Set(['user', 'admin']);

let api: TestService;
let ours: PlantedTenant;
let theirs: PlantedTenant;
let lists: Documented[];

async function ask(path: string, headers: Headers): Promise<{ status: number; result: List; text: string }> {
  const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await fetch(`${api.service.url}${path}`, { headers: sent });
  const text = await response.text();
  return { status: response.status, result: JSON.parse(text).result, text };
}

beforeAll(async () => {
  api = await startTestService({ environment: { OPERATOR_TOKEN } });
  theirs = await plantTenant(api, 'theirs');
  ours = await plantTenant(api, 'ours');
  const operations = await documentedOperations(api.service.url);
  lists = operations.filter(({ parameters }) =>
    parameters.some(({ name, schema }) => name === 'count' && schema.enum !== undefined),
  );
}, 200_000);
afterAll(() => api?.stop());

/** Every list with something in it, by the ids that were planted. */
async function filledLists(headersOf: (one: Documented) => Headers): Promise<{ one: Documented; path: string }[]> {
  const ids = [...ours.ids, ...ours.companies[0].ids];
  const found: { one: Documented; path: string }[] = [];
  for (const one of lists) {
    const [first, second] = parametersOf(one, 'path');
    const kinds = first?.schema.enum?.map(String) ?? (first === undefined ? [''] : ids);
    const choices = kinds.flatMap((kind) => (second === undefined ? [[kind]] : ids.map((id) => [kind, id])));
    for (const [kind = '', id = ''] of choices) {
      const path = filledPath(one, { [first?.name ?? '']: kind, [second?.name ?? '']: id });
      const hasPages = one.parameters.some(({ name }) => name === 'limit');
      const query = one.id === 'listUnassignedGroups' ? '?by=counterparty' : hasPages ? '?limit=200' : '?count=false';
      const { status, result } = await ask(path + query, headersOf(one));
      if (status !== 200 || result.items.length === 0) continue;
      found.push({ one, path: path + query });
      break;
    }
  }
  return found;
}

const asOurs = ({ access }: Documented): Headers => {
  if (access === 'operator-token') return { authorization: `Bearer ${OPERATOR_TOKEN}` };
  return BY_PERSON.has(access ?? '') ? ours.roles.admin : ours.key;
};

describe('count=true', () => {
  it('is taken by every list with pages, and gives the number of items on all of them', async () => {
    const filled = await filledLists(asOurs);
    for (const { one, path } of filled) {
      let items = 0;
      let last: List | undefined;
      for (let cursor = ''; last === undefined || last.nextCursor !== null; ) {
        const { result, status } = await ask(`${path.replace('?count=false', '?')}&count=true${cursor}`, asOurs(one));
        expect([one.id, status]).toEqual([one.id, 200]);
        last = result;
        items += result.items.length;
        cursor = `&cursor=${encodeURIComponent(result.nextCursor ?? '')}`;
      }
      // Where the tests share stores, other tenants come and go.
      if (one.access === 'operator-token') expect(last?.count?.value).toBeGreaterThanOrEqual(2);
      else expect([path, last?.count]).toEqual([path, { value: items, atLeast: false }]);
    }
    const seen = new Set(filled.map(({ one }) => one.id));
    const empty = lists.map(({ id }) => id).filter((id) => !seen.has(id));
    expect(
      empty.filter((id) => !['listScheduleRuns', 'listWebhookDeliveries', 'listUnassignedGroups'].includes(id)),
    ).toEqual([]);
    expect(seen.size).toBeGreaterThan(15);
  });

  it('does not change where a cursor leads, and is left out unless it is asked for', async () => {
    const first = await ask('/banks/transactions?limit=2&count=true', ours.key);
    const cursor = encodeURIComponent(first.result.nextCursor ?? '');
    const next = await ask(`/banks/transactions?limit=2&cursor=${cursor}`, ours.key);
    expect([next.status, next.result.count]).toEqual([200, undefined]);
    expect(Object.keys(next.result).toSorted()).toEqual(['items', 'nextCursor']);
  });

  it('counts what a filter finds, now and as of a moment', async () => {
    const now = new Date().toISOString();
    for (const filter of ['assigned=true', 'incoming=true', 'tag=none']) {
      const { result } = await ask(`/banks/transactions?limit=200&${filter}`, ours.key);
      for (const when of ['', `&asOf=${now}`]) {
        const counted = await ask(`/banks/transactions?limit=1&count=true&${filter}${when}`, ours.key);
        expect([filter, counted.result.count]).toEqual([filter, { value: result.items.length, atLeast: false }]);
      }
    }
  });

  it('counts for a key of one company only what it sees', async () => {
    const [company] = ours.companies;
    const whole = await ask('/banks/webhooks?count=true', ours.key);
    const one = await ask('/banks/webhooks?count=true', { ...ours.key, 'x-company-id': company.id });
    expect(whole.result.count?.value).toBe(2);
    expect(one.result.count?.value).toBe(one.result.items.length);
  });

  it.each([
    [MOST_COUNTED - 1, { value: MOST_COUNTED - 1, atLeast: false }],
    [MOST_COUNTED, { value: MOST_COUNTED, atLeast: false }],
    [MOST_COUNTED + 1, { value: MOST_COUNTED, atLeast: true }],
    [1_000_000, { value: MOST_COUNTED, atLeast: true }],
  ])('of %s items is %o, counting no further', async (there, count) => {
    let most = 0;
    const counted = await countedWhere({ count: true }, async (limit) => {
      most = limit;
      return Math.min(there, limit);
    });
    expect([counted, most]).toEqual([{ count }, MOST_COUNTED + 1]);
  });
});

describe('expand', () => {
  it('names connections, rules and companies on lists', async () => {
    const [company] = ours.companies;
    const headers = { ...ours.key, 'x-company-id': company.id };
    const { result } = await ask(`/banks/assignments?limit=200&${ALL}`, headers);
    const [rule] = result.items.flatMap((item) => (typeof item.ruleId === 'string' ? [item.ruleId] : []));
    expect(result.expanded?.rule[rule ?? '']).toEqual({ id: rule, name: company.marker });
    expect(Object.keys(result.expanded?.company ?? {})).toEqual([company.id]);
    const rows = await ask(`/banks/transactions?limit=200&expand=account`, headers);
    const accounts = [...new Set(rows.result.items.map((item) => String(item.accountId)))].toSorted();
    expect(Object.keys(rows.result.expanded?.account ?? {}).toSorted()).toEqual(accounts);
    expect(Object.values(rows.result.expanded?.account ?? {}).map(({ name }) => name)).toEqual(
      accounts.map(() => company.marker),
    );
    expect(Object.keys(rows.result.expanded ?? {})).toEqual(['account']);
  });

  it('names them in analytics and in the changes', async () => {
    const [one, two] = ours.companies;
    const path = '/banks/analytics/queries/cash-flow/results?from=2026-01-01&to=2026-02-01&groupBy=company';
    const { result } = await ask(`${path}&expand=company`, ours.key);
    expect(new Set(result.rows?.map((row) => row.companyId))).toEqual(new Set([one.id, two.id]));
    expect(result.expanded?.company[two.id]?.name).toBe(two.marker);
    const changes = await ask(`/banks/changes?types=rule,sync&${ALL}`, ours.key);
    expect(changes.result.expanded?.company[two.id]?.name).toBe(two.marker);
    expect(Object.keys(changes.result.expanded?.account ?? {}).length).toBeGreaterThan(1);
  });

  it('names people and keys in the history for those who may read it, and nobody but oneself for others', async () => {
    const path = `/banks/audit/history?limit=200&${ALL}`;
    for (const headers of [ours.roles.auditor, ours.roles.admin, ours.key]) {
      const { result } = await ask(path, headers);
      const actors = Object.values(result.expanded?.actor ?? {});
      expect(new Set(actors.map(({ type }) => type))).toEqual(new Set(['user', 'api-key', 'system']));
      expect(actors.every(({ name }) => name !== '')).toBe(true);
      expect(actors.filter(({ type }) => type === 'user').map(({ name }) => name)).toContain(ours.marker);
    }
    const analyst = await ask(`/banks/transaction-rules?${ALL}`, ours.roles.analyst);
    expect(analyst.result.items.length).toBeGreaterThan(0);
    expect(analyst.result.expanded?.actor).toEqual({});
    const key = await ask(`/banks/transaction-rules?${ALL}`, ours.key);
    expect(Object.values(key.result.expanded?.actor ?? {}).map(({ type }) => type)).toEqual(['api-key']);
  });

  it('shows a key of one company neither people nor other keys, nor the other company', async () => {
    const [company, other] = ours.companies;
    const made = await api.call<{ key: string; secret: string; id: string }>(
      'POST',
      '/auth/api-keys',
      { name: 'Narrow', scopes: ['audit:read', 'rules:read', 'transactions:read'], companies: [company.id] },
      { ...ours.roles.admin },
    );
    const { key, secret } = made.body.result;
    await api.service.httpServices.waitFor(['api-keys'], made.headers.get('x-log-position') ?? '', 100_000);
    for (const path of ['/banks/audit/history', '/banks/transaction-rules', '/banks/assignments']) {
      const { result, text } = await ask(`${path}?limit=200&${ALL}`, { 'x-api-key': key, 'x-api-secret': secret });
      expect(result.items.length).toBeGreaterThan(0);
      const actors = Object.values(result.expanded?.actor ?? {});
      expect(actors.filter(({ type, id }) => type !== 'system' && id !== made.body.result.id)).toEqual([]);
      expect(text).not.toContain(other.marker);
      expect(Object.keys(result.expanded?.company ?? {})).toEqual([company.id]);
    }
  });

  it('reads names through the tenant and the companies of the caller', async () => {
    const [one, other] = ours.companies;
    const all = [one.id, other.id, theirs.companies[0].id];
    const { readModels } = api.service.httpServices;
    const seen = async (companies: readonly string[] | null) =>
      (await openReader(readModels, ours.id, companies).many(companiesOf, all)).map(({ id }) => id).toSorted();
    expect(await seen(null)).toEqual([one.id, other.id].toSorted());
    expect(await seen([one.id])).toEqual([one.id]);
    expect(await seen([])).toEqual([]);
  });

  it('names nothing of another tenant, whatever ids an answer holds', async () => {
    for (const { one, path } of await filledLists(asOurs)) {
      if (one.access === 'operator-token') continue;
      const { text } = await ask(`${path}&${ALL}`, asOurs(one));
      expect([path, text.includes(theirs.marker)]).toEqual([path, false]);
    }
  });

  it.each(['expand=everything', 'expand='])('refuses %s', async (query) => {
    expect((await ask(`/banks/transactions?${query}`, ours.key)).status).toBe(400);
  });
});
