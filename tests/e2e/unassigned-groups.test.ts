import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute } from '../../src/commands/command.ts';
import { bankTransaction, relistTransaction, withdrawTransaction } from '../../src/deciders/bank-transaction.ts';
import { WITH_GROUP_KEYS } from '../../src/http/routes/transactions/filters.ts';
import { streamName } from '../../src/log/streams.ts';
import { counterpartyOf, likenessOf } from '../../src/projections/likeness.ts';
import { openReader } from '../../src/queries/reader.ts';
import { groupsAreExact } from '../../src/queries/unassigned-groups.ts';
import { workerContext } from '../../src/reactors/reactor-services.ts';
import { add, decimalOf } from '../../src/shared/money.ts';
import { signIn } from '../support/signed-in.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

type Row = {
  readonly id: string;
  readonly amount: number;
  readonly incoming: boolean;
  readonly currency: string;
  readonly nameSurname: string | null;
  readonly iban: string | null;
  readonly idNo: string;
  readonly description: string | null;
};
type Group = {
  readonly by: string;
  readonly key: string;
  readonly companies: string;
  readonly name: string;
  readonly count: number;
  readonly sums: readonly { currency: string; in: number; out: number }[];
  readonly sampleTransactionIds: readonly string[];
};
type Page<Item> = { readonly items: Item[]; readonly nextCursor: string | null; readonly atLeast?: boolean };

const OPERATOR_TOKEN = 'operator-token-of-32-characters-or-more';
const GROUPS = '/banks/transactions/groups';

let api: TestService;
let connection: string;

async function all<Item>(path: string, limit = 200): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await api.call<Page<Item>>('GET', `${path}&limit=${limit}${cursor}`, undefined, {
      'x-min-log-position': await api.service.log.head(),
    });
    if (body.result === undefined) throw new Error(JSON.stringify(body));
    items.push(...body.result.items);
    if (body.result.nextCursor === null) return items;
    cursor = `&cursor=${encodeURIComponent(body.result.nextCursor)}`;
  }
}

const unassigned = (filter = '') => all<Row>(`/banks/transactions?assigned=false${filter}`);

/** What the groups are by a plain look at every row. */
function grouped(rows: readonly Row[], by: 'counterparty' | 'description') {
  const keyOf = (row: Row) => (by === 'counterparty' ? counterpartyOf(row) : likenessOf(row.description)).key;
  return [...Map.groupBy(rows, keyOf)]
    .map(([key, some]) => ({
      key,
      count: some.length,
      sums: [...Map.groupBy(some, ({ currency }) => currency)]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([currency, same]) => {
          const sum = (incoming: boolean) =>
            same.filter((row) => row.incoming === incoming).reduce((sum, row) => add(sum, decimalOf(row.amount)), '0');
          return { currency, in: Number(sum(true)), out: Number(sum(false)) };
        }),
    }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
}

const plain = (groups: readonly Group[]) =>
  groups.map(({ key, count, sums }) => ({ key, count, sums })).sort((one, other) => (one.key < other.key ? -1 : 1));

beforeAll(async () => {
  api = await startTestService({ environment: { OPERATOR_TOKEN } });
  await api.call('POST', '/banks/transaction-rules', {
    name: 'Large',
    conditions: { combinator: 'all', children: [{ field: 'amount', operator: 'at_least', value: 700 }] },
    actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId: '1' } }],
  });
  connection = await connectDemoBank(api, { seed: 'groups', transactionsPerDay: 25 });
  await syncAndWait(api, connection, { from: '2026-03-01', to: '2026-03-07' });
  await automationDone(api);
});
afterAll(() => api.stop());

describe.each(['counterparty', 'description'] as const)('groups by %s', (by) => {
  it('hold every row without an assignment, and no other', async () => {
    const groups = await all<Group>(`${GROUPS}?by=${by}`);
    expect(plain(groups)).toEqual(grouped(await unassigned(), by));
    expect(groups.length).toBeGreaterThan(1);
    expect(groups.map(({ count }) => count)).toEqual(groups.map(({ count }) => count).toSorted((a, b) => b - a));
    const rows = new Map((await unassigned()).map((row) => [row.id, row]));
    for (const { companies, sampleTransactionIds, key } of groups) {
      const keys = sampleTransactionIds.map((id) => grouped([rows.get(id) as Row], by)[0]?.key);
      expect([companies, new Set(keys)]).toEqual([COMPANY, new Set([key])]);
    }
  });

  it.each(['-count', 'name'])('come in pages without a repetition by %s', async (sort) => {
    const whole = await all<Group>(`${GROUPS}?by=${by}&sort=${sort}`);
    expect(await all(`${GROUPS}?by=${by}&sort=${sort}`, 2)).toEqual(whole);
    const filtered = await all<Group>(`${GROUPS}?by=${by}&sort=${sort}&accountId=${connection}`);
    expect(plain(filtered)).toEqual(plain(whole));
    expect(await all(`${GROUPS}?by=${by}&sort=${sort}&accountId=${connection}`, 2)).toEqual(filtered);
  });

  it.each([
    'incoming=true',
    'minAmount=100&maxAmount=500',
    'from=2026-03-02&to=2026-03-04',
    'q=invoice',
    'currency=XXX',
  ])('take a filter of the list: %s', async (filter) => {
    const groups = await all<Group>(`${GROUPS}?by=${by}&assigned=false&${filter}`);
    expect(plain(groups)).toEqual(grouped(await unassigned(`&${filter}`), by));
  });

  it('open into their rows', async () => {
    const [largest] = await all<Group>(`${GROUPS}?by=${by}`);
    const rows = await unassigned(`&${by}Key=${largest?.key}`);
    expect(rows).toHaveLength(largest?.count ?? 0);
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([...(largest?.sampleTransactionIds ?? [])]));
    const totals = await api.call<{ count: { value: number } }>(
      'GET',
      `/banks/transactions/totals?assigned=false&${by}Key=${largest?.key}`,
    );
    expect(totals.body.result.count.value).toBe(largest?.count);
  });

  it('follow an assignment and its revocation', async () => {
    const [largest] = await all<Group>(`${GROUPS}?by=${by}`);
    const [id] = largest?.sampleTransactionIds ?? [];
    const reference = { source: 'erp', entityType: 'invoice', externalId: by };
    const path = `/banks/transactions/${id}/assignments`;
    const made = await api.call<{ id: string }>('POST', path, { reference });
    const without = await all<Group>(`${GROUPS}?by=${by}`);
    expect(plain(without)).toEqual(grouped(await unassigned(), by));
    expect(without.find(({ key }) => key === largest?.key)?.sampleTransactionIds).not.toContain(id);
    await api.call('POST', `${path}/${made.body.result.id}/revoke`, {});
    expect(plain(await all<Group>(`${GROUPS}?by=${by}`))).toEqual(grouped(await unassigned(), by));
  });
});

describe('groups of unassigned transactions', () => {
  it('come from the read model, since each event names the texts of its row', async () => {
    const { readModels } = api.service.httpServices;
    const reader = openReader(readModels, api.tenantId, null);
    expect(await groupsAreExact(reader)).toBe(true);
    const [assigned] = await all<Row>('/banks/transactions?assigned=true');
    const events = await api.service.log.readStream(`bankTransaction-${api.tenantId}_${assigned?.id}`);
    const attached = events.find(({ type }) => type === 'TransactionAssignmentAttached');
    const { nameSurname, iban, idNo } = assigned as Row;
    expect(attached?.data).toMatchObject({ row: { texts: { nameSurname, iban, idNo } } });
  });

  it('leave out what the bank withdrew, with and without a filter', async () => {
    const [group] = await all<Group>(`${GROUPS}?by=counterparty`);
    const [id] = group?.sampleTransactionIds ?? [];
    const about = { tenantId: api.tenantId, companyId: COMPANY, correlationId: 'withdrawn' };
    await execute(workerContext(api.service.reactorServices, 'sync', about), {
      stream: streamName('bankTransaction', api.tenantId, id ?? ''),
      decider: bankTransaction,
      decide: (state) => withdrawTransaction(state, { syncId: 'sync', withdrawnAt: new Date().toISOString() }),
      notFound: 'TRANSACTION_NOT_FOUND',
    });
    for (const filter of ['', '&minAmount=0']) {
      const groups = await all<Group>(`${GROUPS}?by=counterparty${filter}`);
      expect(groups.find(({ key }) => key === group?.key)?.count).toBe((group?.count ?? 0) - 1);
    }
    await execute(workerContext(api.service.reactorServices, 'sync', about), {
      stream: streamName('bankTransaction', api.tenantId, id ?? ''),
      decider: bankTransaction,
      decide: (state) => relistTransaction(state, { syncId: 'sync', relistedAt: new Date().toISOString() }),
      notFound: 'TRANSACTION_NOT_FOUND',
    });
    const groups = await all<Group>(`${GROUPS}?by=counterparty`);
    expect(groups.find(({ key }) => key === group?.key)?.count).toBe(group?.count);
  });

  it.each([
    ['by=name', 'VALIDATION_FAILED'],
    ['', 'VALIDATION_FAILED'],
    ['by=counterparty&assigned=true', 'VALIDATION_FAILED'],
    ['by=counterparty&tag=a', 'QUERY_PARAMETER_UNKNOWN'],
    ['by=counterparty&counterpartyKey=x', 'VALIDATION_FAILED'],
    ['by=counterparty&from=2026-02-02&to=2026-02-01', 'DATE_RANGE_INVALID'],
    ['by=counterparty&cursor=forged.forged', 'CURSOR_INVALID'],
  ])('refuse %s', async (query, code) => {
    expect((await api.call('GET', `${GROUPS}?${query}`)).body.code).toBe(code);
  });

  it('hold nothing of another tenant, nor of a company that was not named or may not be seen', async () => {
    const admin = { authorization: `Bearer ${(await signIn(api)).accessToken}` };
    const made = await api.call<{ apiKey: { key: string; secret: string } }>(
      'POST',
      '/operator/tenants',
      { name: 'Other', adminEmail: `${randomUUID()}@example.com` },
      { authorization: `Bearer ${OPERATOR_TOKEN}` },
    );
    const company = await api.call<{ id: string }>('POST', '/auth/companies', { name: 'Second' }, admin);
    const body = { name: 'Narrow', scopes: ['transactions:read'], companies: [company.body.result.id] };
    const narrow = await api.call<{ key: string; secret: string }>('POST', '/auth/api-keys', body, admin);
    const keyOf = ({ key, secret }: { key: string; secret: string }) => ({ 'x-api-key': key, 'x-api-secret': secret });
    const head = await api.service.log.head();
    await api.service.httpServices.waitFor(['api-keys', 'companies', 'tenants'], head, 100_000);
    const callers = [
      { ...keyOf(made.body.result.apiKey), 'x-company-id': undefined },
      { ...keyOf(narrow.body.result), 'x-company-id': undefined },
      { 'x-company-id': company.body.result.id },
    ];
    const [known] = await all<Group>(`${GROUPS}?by=counterparty`);
    for (const headers of callers) {
      for (const query of ['', '&minAmount=0', `&counterpartyKey=${known?.key}`]) {
        const path = `${GROUPS}?by=counterparty${query}`;
        const answer = await api.call<Page<Group>>('GET', path, undefined, headers);
        expect([query, answer.body.result]).toEqual([query, { items: [], nextCursor: null, atLeast: false }]);
      }
      const path = `/banks/transactions?counterpartyKey=${known?.key}`;
      const rows = await api.call<Page<Row>>('GET', path, undefined, headers);
      expect(rows.body.result.items).toEqual([]);
    }
  });

  it('are counted row by row where an earlier release did not note the texts of a change', async () => {
    const before = await all<Group>(`${GROUPS}?by=counterparty`);
    const [id] = before[0]?.sampleTransactionIds ?? [];
    const { log, newId } = api.service.reactorServices;
    const stream = `bankTransaction-${api.tenantId}_${id}`;
    const reference = { source: 'erp', entityType: 'invoice', externalId: 'old' };
    await api.call('POST', `/banks/transactions/${id}/assignments`, { reference });
    const attached = (await log.readStream(stream)).at(-1);
    if (attached === undefined) throw new Error('nothing was attached');
    const { texts: _, ...row } = (attached.data as { row: { texts: object } }).row;
    const [other] = before.find(({ sampleTransactionIds }) => !sampleTransactionIds.includes(id ?? ''))
      ?.sampleTransactionIds ?? [''];
    const of = `bankTransaction-${api.tenantId}_${other}`;
    const events = await log.readStream(of);
    const data = { ...(attached.data as object), row };
    await log.append({
      stream: of,
      expected: events.at(-1)?.revision ?? 0,
      events: [{ id: newId(), type: 'TransactionAssignmentAttached', data, metadata: attached.metadata }],
    });
    const groups = await all<Group>(`${GROUPS}?by=counterparty`);
    expect(plain(groups)).toEqual(grouped(await unassigned(), 'counterparty'));
  });

  it('cannot be opened before the rows have been built anew after an update', async () => {
    const { readModels } = api.service.httpServices;
    const own = readModels.readableVersion;
    Object.assign(readModels, { readableVersion: async () => WITH_GROUP_KEYS - 1 });
    try {
      const path = `/banks/transactions?descriptionKey=${likenessOf('x').key}`;
      expect((await api.call('GET', path)).body.code).toBe('READ_MODEL_BEHIND');
    } finally {
      Object.assign(readModels, { readableVersion: own });
    }
  });
});
