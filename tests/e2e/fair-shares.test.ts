import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  connectDemoBank,
  eventually,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

/** More than a tenant has places for syncs. */
const WAITING = 10;

let api: TestService;
beforeAll(async () => {
  api = await startTestService({ timing: { syncRetryMs: 3_600_000 } });
});
afterAll(() => api.stop());

it('syncs that wait for their next attempt do not prevent others from starting', async () => {
  const script = { steps: [{ at: { operation: 'page', attempts: 1_000_000 }, do: 'unavailable' }] };
  const ids: string[] = [];
  for (let nth = 0; nth < WAITING; nth += 1) ids.push(await connectDemoBank(api, { script, seed: `waiting ${nth}` }));
  const healthy = await connectDemoBank(api, { seed: 'healthy' });
  for (const id of ids) await api.call('POST', `/banks/accounts/${id}/sync`, { from: '2026-01-01', to: '2026-01-02' });
  type Sync = { attempts: number };
  const tried = async (): Promise<number> => {
    let count = 0;
    for (const id of ids) {
      const { items } = (await api.call<{ items: Sync[] }>('GET', `/banks/accounts/${id}/syncs?limit=1`)).body.result;
      if ((items[0]?.attempts ?? 0) > 0) count += 1;
    }
    return count;
  };
  expect(await eventually(tried, (count) => count === WAITING)).toBe(WAITING);
  expect((await syncAndWait(api, healthy, { from: '2026-01-01', to: '2026-01-02' })).status).toBe('completed');
});
