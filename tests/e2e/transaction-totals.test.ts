import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOST_ROWS_SUMMED, totalsOfRows } from '../../src/analytics/transaction-totals.ts';
import { execute } from '../../src/commands/command.ts';
import { bankTransaction, withdrawTransaction } from '../../src/deciders/bank-transaction.ts';
import { streamName } from '../../src/log/streams.ts';
import { flows } from '../../src/projections/analytics/flows.ts';
import { workerContext } from '../../src/reactors/reactor-services.ts';
import { add, compare, decimalOf, subtract } from '../../src/shared/money.ts';
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
  readonly status: boolean;
  readonly transactionDate: string;
  readonly amount: number;
  readonly incoming: boolean;
  readonly currency: string;
  readonly description: string | null;
};
type Totals = {
  readonly totals: readonly { currency: string; in: number; out: number; net: number; count: number }[];
  readonly count: { value: number; atLeast: boolean };
};

const OPERATOR_TOKEN = 'operator-token-of-32-characters-or-more';

let api: TestService;
let connection: string;
let before: string;

async function listed(query: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await api.call<{ items: Row[]; nextCursor: string | null }>(
      'GET',
      `/banks/transactions?limit=200&${query}${more}`,
    );
    rows.push(...body.result.items);
    cursor = body.result.nextCursor;
  }
  return rows;
}

function summed(rows: readonly Row[]): Totals {
  const counted = rows.filter((row) => row.status);
  const totals = [...Map.groupBy(counted, ({ currency }) => currency)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, some]) => {
      const sum = (incoming: boolean) =>
        some.filter((row) => row.incoming === incoming).reduce((all, row) => add(all, decimalOf(row.amount)), '0');
      const [came, went] = [sum(true), sum(false)];
      return { currency, in: Number(came), out: Number(went), net: Number(subtract(came, went)), count: some.length };
    });
  return { totals, count: { value: counted.length, atLeast: false } };
}

async function totals(query: string): Promise<Totals> {
  const head = await api.service.log.head();
  const { body, status } = await api.call<Totals>('GET', `/banks/transactions/totals?${query}`, undefined, {
    'x-min-log-position': head,
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.result;
}

beforeAll(async () => {
  api = await startTestService({ environment: { OPERATOR_TOKEN } });
  const reference = { source: 'erp', entityType: 'invoice', externalId: '1' };
  await api.call('POST', '/banks/transaction-rules', {
    name: 'Large',
    conditions: { combinator: 'all', children: [{ field: 'amount', operator: 'at_least', value: 500 }] },
    actions: [{ type: 'attach_reference', reference }],
  });
  connection = await connectDemoBank(api, { seed: 'totals', transactionsPerDay: 25 });
  await syncAndWait(api, connection, { from: '2026-03-01', to: '2026-03-06' });
  await automationDone(api);
  before = new Date().toISOString();
  const [row] = await listed('assigned=true');
  const { body } = await api.call<{ items: { id: string }[] }>('GET', `/banks/transactions/${row?.id}/assignments`);
  await api.call('POST', `/banks/transactions/${row?.id}/assignments/${body.result.items[0]?.id}/revoke`, {});
  await automationDone(api);
});
afterAll(() => api.stop());

describe('totals of transactions', () => {
  it.each([
    '',
    'incoming=true',
    'incoming=false',
    'assigned=true',
    'assigned=false&incoming=true',
    'assigned=false&incoming=false',
    'from=2026-03-02&to=2026-03-04',
    'from=2026-03-02T10:15:00Z&to=2026-03-04T18:30:00Z&incoming=false',
    'bankCode=demo&currency=EUR',
    'minAmount=100&maxAmount=900',
    'q=invoice',
    'from=2026-03-02T10:17:31Z',
    'referenceKey=erp:invoice:1',
    'code=nothing-has-this',
  ])('are what the rows of the list add up to: %s', async (query) => {
    const rows = await listed(query);
    expect(await totals(query)).toEqual(summed(rows));
    if (query === '') expect(rows.length).toBeGreaterThan(100);
  });

  it('are exact from any moment of a quarter hour', async () => {
    const row = (await listed('')).find(({ transactionDate }) => Date.parse(transactionDate) % 900_000 !== 0);
    const query = `from=${new Date(Date.parse(row?.transactionDate ?? '') - 1).toISOString()}`;
    expect(await totals(query)).toEqual(summed(await listed(query)));
  });

  it('are those of one connection, one account, or none', async () => {
    expect(await totals(`accountId=${connection}`)).toEqual(summed(await listed(`accountId=${connection}`)));
    expect(await totals('accountId=unknown')).toEqual({ totals: [], count: { value: 0, atLeast: false } });
    expect(await totals('accountId=unknown&q=x')).toEqual({ totals: [], count: { value: 0, atLeast: false } });
  });

  it.each(['assigned=true', 'assigned=true&minAmount=1'])('are as they stood at a moment: %s', async (query) => {
    const now = await totals(query);
    const then = await totals(`${query}&asOf=${before}`);
    expect(then).toEqual(summed(await listed(`${query}&asOf=${before}`)));
    expect(then.count.value).toBe(now.count.value + 1);
  });

  it('leave out what the bank withdrew, which is still listed', async () => {
    const [first] = await listed('from=2026-03-03');
    const before = await totals('from=2026-03-03');
    const { reactorServices: services } = api.service;
    const about = { tenantId: api.tenantId, companyId: COMPANY, correlationId: 'withdrawn' };
    await execute(workerContext(services, 'sync', about), {
      stream: streamName('bankTransaction', api.tenantId, first?.id ?? ''),
      decider: bankTransaction,
      decide: (state) => withdrawTransaction(state, { syncId: 'sync', withdrawnAt: new Date().toISOString() }),
      notFound: 'TRANSACTION_NOT_FOUND',
    });
    for (const query of ['from=2026-03-03', 'from=2026-03-03&minAmount=0']) {
      const after = await totals(query);
      expect(after).toEqual(summed(await listed(query)));
      expect(after.count.value).toBe(before.count.value - 1);
    }
  });

  it.each([
    ['minAmount=2&maxAmount=1', 'TRANSACTION_AMOUNT_RANGE_INVALID'],
    ['from=2026-02-02&to=2026-02-01', 'DATE_RANGE_INVALID'],
    ['sort=amount', 'QUERY_PARAMETER_UNKNOWN'],
    ['asOf=2999-01-01', 'DATE_RANGE_INVALID'],
  ])('refuse %s', async (query, code) => {
    const { body } = await api.call('GET', `/banks/transactions/totals?${query}`);
    expect(body.code).toBe(code);
  });

  it('hold nothing of another tenant, nor of a company that was not named or may not be seen', async () => {
    const token = (await signIn(api)).accessToken;
    const admin = { authorization: `Bearer ${token}` };
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
    const nothing = { totals: [], count: { value: 0, atLeast: false } };
    const callers = [
      { ...keyOf(made.body.result.apiKey), 'x-company-id': undefined },
      { ...keyOf(narrow.body.result), 'x-company-id': undefined },
      { 'x-company-id': company.body.result.id },
    ];
    const head = await api.service.log.head();
    await api.service.httpServices.waitFor(['api-keys', 'companies', 'tenants'], head, 100_000);
    for (const headers of callers) {
      for (const query of ['', 'minAmount=0', `asOf=${before}`, `accountId=${connection}`]) {
        const answer = await api.call<Totals>('GET', `/banks/transactions/totals?${query}`, undefined, headers);
        expect([query, answer.body.result]).toEqual([query, nothing]);
      }
    }
  });

  it('come from the rows while the sums are those of an earlier version', async () => {
    const { readModels } = api.service.httpServices;
    const own = readModels.readableVersion;
    Object.assign(readModels, { readableVersion: async () => flows.projection.version - 1 });
    try {
      expect(await totals('assigned=true')).toEqual(summed(await listed('assigned=true')));
    } finally {
      Object.assign(readModels, { readableVersion: own });
    }
  });

  it('sum at most so many rows one by one, and say so', async () => {
    const row = { status: true, currency: 'EUR', incoming: true, amount: '0.01' };
    async function* rows(count: number) {
      for (let at = 0; at < count; at += 1) yield row;
    }
    const whole = await totalsOfRows(rows(MOST_ROWS_SUMMED));
    expect([whole.count, whole.atLeast]).toEqual([MOST_ROWS_SUMMED, false]);
    const cut = await totalsOfRows(rows(MOST_ROWS_SUMMED * 2));
    expect([cut.count, cut.atLeast, compare(cut.totals[0]?.in ?? '0', '100')]).toEqual([MOST_ROWS_SUMMED, true, 0]);
  });
});
