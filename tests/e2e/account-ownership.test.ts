import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, signIn } from '../support/signed-in.ts';
import { COMPANY, connectDemoBank, startTestService, syncAndWait, type TestService } from '../support/test-service.ts';

type Connection = { subAccounts: { subAccountKey: string; ownedElsewhere?: true }[] };
type Transactions = { items: { id: string; companies: string }[] };

let api: TestService;
let other = '';

beforeAll(async () => {
  api = await startTestService();
  const admin = bearer((await signIn(api)).accessToken);
  const made = await api.call<{ id: string }>('POST', '/auth/companies', { name: 'Second company' }, admin);
  other = made.body.result.id;
});
afterAll(() => api.stop());

const as = (company: string) => ({ 'x-company-id': company });

async function subAccountsOf(id: string, company: string): Promise<Connection['subAccounts']> {
  const { body } = await api.call<Connection>('GET', `/banks/accounts/${id}`, undefined, as(company));
  return body.result.subAccounts;
}

async function eventTypes(): Promise<string[]> {
  const { events } = await api.service.log.readAll({ after: '', limit: 100_000, categories: ['bankTransaction'] });
  return events.map(({ type }) => type);
}

describe('a physical account', () => {
  it('belongs to the first company that finds it: another one lists it as owned elsewhere, and syncs nothing', async () => {
    const seed = randomUUID();
    const first = await connectDemoBank(api, { seed }, COMPANY);
    const second = await connectDemoBank(api, { seed }, other);
    const own = await subAccountsOf(first, COMPANY);
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(({ ownedElsewhere }) => ownedElsewhere)).toEqual([]);
    const foreign = await subAccountsOf(second, other);
    expect(foreign.map(({ subAccountKey }) => subAccountKey)).toEqual(own.map(({ subAccountKey }) => subAccountKey));
    expect(foreign.every(({ ownedElsewhere }) => ownedElsewhere === true)).toBe(true);

    const nothing = await syncAndWait(api, second, {}, other);
    expect(nothing).toMatchObject({ status: 'completed', counts: { fetched: 0, inserted: 0 } });
    expect((nothing.notes as { code: string }[]).map(({ code }) => code)).toEqual(
      foreign.map(() => 'ACCOUNT_OWNED_ELSEWHERE'),
    );
    const synced = await syncAndWait(api, first);
    expect(synced.counts.inserted).toBeGreaterThan(0);
    const list = await api.call<Transactions>('GET', '/banks/transactions', undefined, as(other));
    expect(list.body.result.items).toEqual([]);
    const health = await api.call<{ completeness: unknown[] }>(
      'GET',
      `/banks/accounts/${second}/health`,
      undefined,
      as(other),
    );
    expect(health.body.result.completeness).toEqual([]);
  });

  it('goes to one of two companies that find it at once', async () => {
    const seed = randomUUID();
    const ids = await Promise.all([connectDemoBank(api, { seed }, COMPANY), connectDemoBank(api, { seed }, other)]);
    const lists = [await subAccountsOf(ids[0], COMPANY), await subAccountsOf(ids[1], other)];
    for (const [nth, account] of (lists[0] ?? []).entries()) {
      const marks = [account.ownedElsewhere, lists[1]?.[nth]?.ownedElsewhere];
      expect(marks.filter((mark) => mark === undefined)).toHaveLength(1);
    }
  });

  it('is synced by every connection of the company that owns it', async () => {
    const seed = randomUUID();
    const first = await connectDemoBank(api, { seed });
    const second = await connectDemoBank(api, { seed });
    expect((await subAccountsOf(second, COMPANY)).filter(({ ownedElsewhere }) => ownedElsewhere)).toEqual([]);
    const one = await syncAndWait(api, first);
    const again = await syncAndWait(api, second);
    expect(again.counts).toMatchObject({ inserted: 0, duplicates: one.counts.fetched });
  });
});

describe('a sync', () => {
  it('neither withdraws nor notes conflicts on rows of another company', async () => {
    const seed = randomUUID();
    const first = await connectDemoBank(api, { seed });
    await syncAndWait(api, first);
    const before = await eventTypes();
    const withdrawing = { steps: [{ at: { operation: 'page', page: 1 }, do: 'withdraw', count: 2 }] };
    const second = await connectDemoBank(api, { seed, script: withdrawing }, other);
    await syncAndWait(api, second, {}, other);
    expect(await eventTypes()).toEqual(before);
  });
});
