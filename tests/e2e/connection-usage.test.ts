import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDemoBank, startTestService, syncAndWait, type TestService } from '../support/test-service.ts';

const DAY_MS = 86_400_000;
const OPENED = Date.parse('2026-03-10T23:00:00.000Z');

type Day = { day: string; syncs: number; requests: number; errors: number; quotaLeft: number; fetched: number };
type Health = { syncHealth: { status: string; lastErrorCode?: string }; nextAllowedAt: string | null };

let nowMs = OPENED;
let api: TestService;
let id: string;

beforeAll(async () => {
  api = await startTestService({ clock: { now: () => nowMs }, timing: { idleMs: 20 } });
  id = await connectDemoBank(api, { seed: 'usage', transactionsPerDay: 12 });
});
afterAll(() => api.stop());

const usage = async (query = ''): Promise<{ items: Day[]; nextCursor: string | null }> =>
  (await api.call<{ items: Day[]; nextCursor: string | null }>('GET', `/banks/accounts/${id}/usage${query}`)).body
    .result;
const health = async (): Promise<Health> => (await api.call<Health>('GET', `/banks/accounts/${id}/health`)).body.result;
const daysOf = ({ items }: { items: Day[] }): string[] => items.map(({ day }) => day);

async function fails(step: object, attempts: number): Promise<void> {
  const script = { steps: [{ at: { operation: 'page', request: 1, attempts }, ...step }] };
  const put = await api.call('PUT', `/banks/accounts/${id}/credentials`, {
    seed: 'usage',
    transactionsPerDay: 12,
    script,
  });
  expect(put.status).toBe(200);
  expect((await syncAndWait(api, id)).status).toBe('failed');
}

describe('what a connection used', () => {
  it('is shown for every day, also those without a sync', async () => {
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed' });
    nowMs = OPENED + 3 * DAY_MS;
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed' });
    const { items } = await usage();
    expect(items.map(({ day, syncs, quotaLeft }) => [day, syncs, quotaLeft])).toEqual([
      ['2026-03-13', 1, 999],
      ['2026-03-12', 0, 1000],
      ['2026-03-11', 0, 1000],
      ['2026-03-10', 1, 999],
    ]);
    expect(items[1]).toEqual({ ...items[2], day: '2026-03-12' });
    expect(items[3]?.requests).toBeGreaterThan(items[0]?.requests ?? 0);
  });

  it('is shown for the requested days, half open, and paged', async () => {
    expect(daysOf(await usage('?from=2026-03-11&to=2026-03-13'))).toEqual(['2026-03-12', '2026-03-11']);
    expect(daysOf(await usage('?from=2020-01-01&to=2026-03-11'))).toEqual(['2026-03-10']);
    expect(daysOf(await usage('?from=2026-03-13&to=2030-01-01'))).toEqual(['2026-03-13']);
    expect(daysOf(await usage('?from=2026-03-12&to=2026-03-12'))).toEqual([]);
    const first = await usage('?limit=3');
    expect(daysOf(first)).toEqual(['2026-03-13', '2026-03-12', '2026-03-11']);
    const second = await usage(`?limit=3&cursor=${first.nextCursor}`);
    expect([daysOf(second), second.nextCursor]).toEqual([['2026-03-10'], null]);
    const backwards = await api.call('GET', `/banks/accounts/${id}/usage?from=2026-03-13&to=2026-03-12`);
    expect(backwards.body.code).toBe('DATE_RANGE_INVALID');
  });

  it('counts the requests of a sync that failed', async () => {
    nowMs += DAY_MS;
    await fails({ do: 'reject-credentials' }, 1_000);
    const { items } = await usage('?limit=1');
    expect(items).toEqual([
      expect.objectContaining({ day: '2026-03-14', syncs: 1, requests: 2, errors: 1, fetched: 0 }),
    ]);
    expect(await health()).toMatchObject({ syncHealth: { status: 'credentials_rejected' }, nextAllowedAt: null });
  });
});

describe('the health of a connection whose bank limits the rate', () => {
  it('shows until then when to try again', async () => {
    nowMs += DAY_MS;
    const put = await api.call('PUT', `/banks/accounts/${id}/credentials`, { seed: 'usage', transactionsPerDay: 12 });
    expect(put.status).toBe(200);
    expect((await syncAndWait(api, id)).status).toBe('completed');
    await fails({ do: 'rate-limit', retryAfterMs: 60_000 }, 1);
    const nextAllowedAt = new Date(nowMs + 60_000).toISOString();
    expect(await health()).toMatchObject({
      syncHealth: { status: 'rate_limited', lastErrorCode: 'PROVIDER_RATE_LIMITED' },
      nextAllowedAt,
    });
    const early = await api.call('POST', `/banks/accounts/${id}/sync`);
    expect([early.status, early.body.meta?.nextAllowedAt]).toEqual([429, nextAllowedAt]);
    nowMs += 59_999;
    expect((await health()).syncHealth.status).toBe('rate_limited');
    nowMs += 1;
    expect(await health()).toMatchObject({ syncHealth: { status: 'degraded' }, nextAllowedAt: null });
    expect((await syncAndWait(api, id)).status).toBe('completed');
    expect((await health()).syncHealth.status).toBe('healthy');
  });

  it('is degraded for a day after the last success, and failing from then on', async () => {
    const succeededMs = nowMs;
    nowMs += 1;
    await fails({ do: 'rate-limit', retryAfterMs: 0 }, 1);
    nowMs = succeededMs + DAY_MS;
    expect((await health()).syncHealth.status).toBe('degraded');
    nowMs += 1;
    expect((await health()).syncHealth.status).toBe('failing');
  });
});
