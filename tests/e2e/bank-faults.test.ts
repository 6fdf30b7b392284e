import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
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

const WINDOW = { from: '2026-01-01', to: '2026-01-08' };
const bank = { seed: 'faulty', transactionsPerDay: 30 };
const page = { operation: 'page' };

type Sync = {
  status: string;
  pages: number;
  requests: number;
  counts: Record<string, number>;
  error?: { code: string };
  attempts: number;
};
type Connection = {
  syncHealth: { status: string; lastErrorCode?: string; lastResult?: unknown };
  subAccounts: { subAccountKey: string; currency: string }[];
};

/** Syncs a connection of its own bank under the script. */
async function synced(steps: unknown[], seed: string): Promise<{ id: string; sync: Sync }> {
  const id = await connectDemoBank(api, { ...bank, seed, script: { steps } });
  return { id, sync: (await syncAndWait(api, id, WINDOW)) as unknown as Sync };
}

async function script(id: string, seed: string, steps: unknown[]): Promise<void> {
  const put = await api.call('PUT', `/banks/accounts/${id}/credentials`, { ...bank, seed, script: { steps } });
  expect(put.status).toBe(200);
}

async function health(id: string): Promise<Connection['syncHealth']> {
  return (await api.call<Connection>('GET', `/banks/accounts/${id}`)).body.result.syncHealth;
}

async function transactionsOf(id: string, query = ''): Promise<{ id: string; status: boolean; version: string }[]> {
  const path = `/banks/transactions?accountId=${id}&limit=200${query}`;
  return (await api.call<{ items: never[] }>('GET', path)).body.result.items;
}

describe('a bank that fails for a while', () => {
  it.each(['time-out', 'unavailable'])('%s: is asked again, three times at most', async (fault) => {
    const { sync } = await synced(
      [{ at: { ...page, page: 1, account: 'TRY', attempts: 3 }, do: fault }],
      `soft-${fault}`,
    );
    expect(sync.status).toBe('completed');
    expect(sync.counts.inserted).toBe(sync.counts.fetched);
    expect(sync.counts.fetched).toBe(210);
    const { id, sync: failed } = await synced(
      [{ at: { ...page, page: 1, account: 'TRY', attempts: 4 }, do: fault }],
      `hard-${fault}`,
    );
    expect(failed.status).toBe('failed');
    expect(await health(id)).toMatchObject({ status: 'failing', lastErrorCode: failed.error?.code });
    const next = (await syncAndWait(api, id, WINDOW)) as unknown as Sync;
    expect(next).toMatchObject({ status: 'completed', counts: { inserted: 210 } });
  });

  it('is degraded while a success is not a day old', async () => {
    const { id } = await synced([], 'degraded');
    await script(id, 'degraded', [{ at: { ...page, attempts: 100 }, do: 'unavailable' }]);
    expect((await syncAndWait(api, id, WINDOW)).status).toBe('failed');
    expect(await health(id)).toMatchObject({
      status: 'degraded',
      lastResult: { fetched: 210, inserted: 210, duplicates: 0 },
    });
  });

  it('that limits the rate names the time, and the next sync waits', async () => {
    const { id, sync } = await synced([{ at: { ...page }, do: 'rate-limit', retryAfterMs: 60_000 }], 'limited');
    expect(sync).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_RATE_LIMITED' }, counts: { inserted: 0 } });
    expect((await health(id)).status).toBe('rate_limited');
    const asked = await api.call('POST', `/banks/accounts/${id}/sync`);
    expect(asked.body.code).toBe('PROVIDER_QUOTA_EXHAUSTED');
  });

  it('that refuses the credentials is not called again', async () => {
    const { id, sync } = await synced([{ at: { ...page, attempts: 9 }, do: 'reject-credentials' }], 'refused');
    expect(sync).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_CREDENTIALS_REJECTED' } });
    expect((await health(id)).status).toBe('credentials_rejected');
  });
});

describe('a bank that repeats itself', () => {
  it.each(['repeat-page', 'send-twice', 'reorder'])('%s: leaves each row once', async (fault) => {
    const { id, sync } = await synced([{ at: { ...page, page: 1 }, do: fault }], `repeat-${fault}`);
    expect(sync.status).toBe('completed');
    expect(sync.counts.inserted).toBe(210);
    const all = [...(await transactionsOf(id)), ...(await transactionsOf(id, '&to=2026-01-01'))];
    expect(new Set(all.map((one) => one.id)).size).toBe(Math.min(200, 210));
    const again = (await syncAndWait(api, id, WINDOW)) as unknown as Sync;
    expect(again.counts.inserted).toBe(0);
  });

  it('without any ids: equal rows are both recorded, and a re-sync adds none', async () => {
    const { id, sync } = await synced([{ at: page, do: 'blank-ids' }], 'blank');
    expect(sync).toMatchObject({ status: 'completed', counts: { fetched: 210, inserted: 210 } });
    const again = (await syncAndWait(api, id, WINDOW)) as unknown as Sync;
    expect(again).toMatchObject({
      status: 'completed',
      counts: { fetched: 210, inserted: 0, duplicates: 210, conflicts: 0 },
    });
    const overlap = (await syncAndWait(api, id, { from: '2026-01-03', to: '2026-01-05' })) as unknown as Sync;
    expect(overlap.counts).toMatchObject({ fetched: 60, inserted: 0 });
  });
});

describe('a bank that changes its data', () => {
  it('withdraws rows: they stay, marked, and completeness shows the gap', async () => {
    const { id } = await synced([], 'withdrawn');
    await script(id, 'withdrawn', [{ at: { ...page, page: 1, account: 'TRY' }, do: 'withdraw', count: 2 }]);
    // From the third day on, since rows gone from the very start of a history leave no hole in it.
    const later = { ...WINDOW, from: '2026-01-03' };
    const sync = (await syncAndWait(api, id, later)) as unknown as Sync;
    expect(sync).toMatchObject({ status: 'completed', counts: { inserted: 0, withdrawn: 2 } });
    const gone = await eventually(
      async () =>
        [...(await transactionsOf(id)), ...(await transactionsOf(id, '&sort=transactionDate'))].filter(
          (one) => !one.status,
        ),
      (some) => some.length >= 2,
    );
    expect(new Set(gone.map((one) => one.id)).size).toBe(2);
    const again = (await syncAndWait(api, id, later)) as unknown as Sync;
    expect(again.counts.withdrawn).toBe(0);
    const position = await api.service.log.head();
    const shown = await api.call<{ completeness: { status: string }[] }>(
      'GET',
      `/banks/accounts/${id}/health`,
      undefined,
      {
        'x-min-log-position': position,
      },
    );
    expect(shown.body.result.completeness.some((account) => account.status === 'gaps')).toBe(true);
  });

  it('lists rows again that it withdrew: an event makes them active again, and figures follow', async () => {
    const { id } = await synced([], 'relisted');
    const figures = async (): Promise<unknown> => {
      const query = `/banks/analytics/queries/cash-flow/results?accountIds=${id}&from=2026-01-01&to=2026-02-01`;
      const headers = { 'x-min-log-position': await api.service.log.head() };
      return (await api.call<{ rows: unknown }>('GET', query, undefined, headers)).body.result.rows;
    };
    const whole = await figures();
    await script(id, 'relisted', [{ at: { ...page, page: 1, account: 'TRY' }, do: 'withdraw', count: 2 }]);
    await syncAndWait(api, id, WINDOW);
    expect(await figures()).not.toEqual(whole);
    const all = async () => [...(await transactionsOf(id)), ...(await transactionsOf(id, '&sort=transactionDate'))];
    const [gone] = await eventually(
      async () => (await all()).filter((one) => !one.status),
      (some) => some.length >= 1,
    );
    await script(id, 'relisted', []);
    await syncAndWait(api, id, WINDOW);
    expect(await figures()).toEqual(whole);
    expect((await all()).every((one) => one.status)).toBe(true);
    const history = `/banks/audit/history/transaction/${gone?.id}`;
    const { items } = (await api.call<{ items: { eventType: string }[] }>('GET', history)).body.result;
    expect(items.map(({ eventType }) => eventType)).toContain('TransactionRelisted');
  });

  it('re-issues rows with other content: the first stays, the difference is recorded', async () => {
    const { id } = await synced([], 'reissued');
    await script(id, 'reissued', [{ at: { ...page, page: 1, account: 'TRY' }, do: 're-issue', count: 3 }]);
    const sync = (await syncAndWait(api, id, WINDOW)) as unknown as Sync;
    expect(sync).toMatchObject({ status: 'completed', counts: { inserted: 0, conflicts: 3, duplicates: 210 } });
    const again = (await syncAndWait(api, id, WINDOW)) as unknown as Sync;
    expect(again.counts.conflicts).toBe(3);
    const rows = await transactionsOf(id, '&sort=transactionDate');
    const explained = await Promise.all(
      rows.slice(0, 40).map(async (one) => {
        const path = `/banks/transactions/${one.id}/explanation`;
        return (await api.call<{ history: { type: string }[] }>('GET', path)).body.result.history.map(
          (event) => event.type,
        );
      }),
    );
    const noted = explained.flat().filter((type) => type === 'TransactionContentConflictSeen');
    expect(noted).toHaveLength(3);
  });

  it('lists other accounts: the new one is added, and the known ones keep their keys', async () => {
    const { id } = await synced([], 'accounts');
    const before = (await api.call<Connection>('GET', `/banks/accounts/${id}`)).body.result.subAccounts;
    await script(id, 'accounts', [{ at: { operation: 'accounts' }, do: 'change-accounts' }]);
    expect((await syncAndWait(api, id, WINDOW)).status).toBe('completed');
    const after = (await api.call<Connection>('GET', `/banks/accounts/${id}`)).body.result.subAccounts;
    expect(after.map((account) => account.currency)).toContain('GBP');
    for (const account of after) {
      const known = before.find((one) => one.currency === account.currency);
      if (known !== undefined) expect(account.subAccountKey).toBe(known.subAccountKey);
    }
  });
});

describe('a sync that is cancelled', () => {
  it('stops between two pages and says how far it got', async () => {
    const id = await connectDemoBank(api, { seed: 'cancelled', transactionsPerDay: 2_000 });
    const started = await api.call('POST', `/banks/accounts/${id}/sync`);
    expect(started.status).toBe(202);
    const { id: syncId } = await eventually(
      async () => {
        const list = await api.call<{ items: { id: string; pages: number }[] }>('GET', `/banks/accounts/${id}/syncs`);
        return list.body.result.items[0] ?? { id: '', pages: 0 };
      },
      (sync) => sync.pages > 0,
    );
    const cancel = await api.call<{ cancelRequested: boolean }>('POST', `/banks/accounts/${id}/syncs/${syncId}/cancel`);
    expect([cancel.status, cancel.body.result.cancelRequested]).toEqual([202, true]);
    const ended = await eventually(
      async () => (await api.call<Sync>('GET', `/banks/accounts/${id}/syncs/${syncId}`)).body.result,
      (sync) => sync.status === 'cancelled',
    );
    expect(ended.counts.inserted).toBe(ended.counts.fetched);
    expect(ended.counts.fetched).toBeLessThan(180_000);
  });
});
