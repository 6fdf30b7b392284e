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
afterAll(() => api?.stop());

const WINDOW = { from: '2026-01-01', to: '2026-01-08' };
const refused = { steps: [{ at: { operation: 'page', attempts: 9 }, do: 'reject-credentials' }] };
const away = { steps: [{ at: { operation: 'page', attempts: 90 }, do: 'unavailable' }] };
const noAccounts = { steps: [{ at: { operation: 'accounts', attempts: 9 }, do: 'reject-credentials' }] };

type Health = { status: string; lastErrorCode?: string; lastErrorMessage?: string; lastTriggerType?: string };
type Connection = { syncHealth: Health };
type Sync = { id: string; trigger: string; status: string; error?: { code: string; message: string } };

const bank = (seed: string, script?: object) => ({ seed, transactionsPerDay: 2, ...(script && { script }) });

async function asked(id: string, what: 'sync' | 'setup', wait?: number) {
  const headers = wait === undefined ? {} : { prefer: `wait=${wait}` };
  const body = what === 'sync' ? WINDOW : undefined;
  const answer = await api.call<Connection>('POST', `/banks/accounts/${id}/${what}`, body, headers);
  const named = answer.headers.get('location') ?? '';
  return { ...answer, named, id: answer.headers.get('x-sync-id'), state: answer.headers.get('x-sync-status') };
}

async function script(id: string, seed: string, steps?: object): Promise<void> {
  const put = await api.call('PUT', `/banks/accounts/${id}/credentials`, bank(seed, steps));
  expect(put.status).toBe(200);
}

const logged = (id: string | null) =>
  api.logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ sync, setup, run, replay }) => id !== null && [sync, setup, run, replay].includes(id));

describe('a sync that was asked for', () => {
  it('is named in the answer, where it can be read at once and after it has ended', async () => {
    const id = await connectDemoBank(api, bank('named'));
    const started = await asked(id, 'sync');
    expect([started.status, started.named]).toEqual([202, `/banks/accounts/${id}/syncs/${started.id}`]);
    expect(['queued', 'running']).toContain(started.state);
    const read = await eventually(
      () => api.call<Sync>('GET', started.named),
      ({ body }) => body.result?.status === 'completed',
    );
    expect(read.body.result.id).toBe(started.id);
    const waited = await asked(id, 'sync', 30);
    expect([waited.status, waited.state, waited.headers.get('preference-applied')]).toEqual([
      200,
      'completed',
      'wait=30',
    ]);
    expect((await api.call<Sync>('GET', waited.named)).body.result).toMatchObject({ id: waited.id, trigger: 'manual' });
    expect(waited.id).not.toBe(started.id);
    expect(logged(waited.id)).toEqual([]);
  });

  it('and failed while the caller waited says so, with the code of this very run', async () => {
    const id = await connectDemoBank(api, bank('refused', refused));
    const first = await asked(id, 'sync', 30);
    const { error } = (await api.call<Sync>('GET', first.named)).body.result;
    expect([first.status, first.state]).toEqual([200, 'failed']);
    expect(first.body.result.syncHealth).toMatchObject({
      status: 'credentials_rejected',
      lastErrorCode: error?.code,
      lastErrorMessage: error?.message,
    });
    await script(id, 'refused', away);
    const second = await asked(id, 'sync', 30);
    const { code } = (await api.call<Sync>('GET', second.named)).body.result.error ?? { code: '' };
    expect(code).not.toBe(error?.code);
    expect(second.state).toBe('failed');
    expect(second.body.result.syncHealth).toMatchObject({ status: 'failing', lastErrorCode: code });
    const failures = logged(second.id).filter((line) => line.code !== undefined);
    expect(failures).toMatchObject([{ code, connection: id, tenant: api.tenantId }]);
  });

  it('is the one that runs where one does, and the answer does not wait for it', async () => {
    const id = await connectDemoBank(api, bank('twice', away));
    const [one, other] = await Promise.all([asked(id, 'sync', 30), asked(id, 'sync', 30)]);
    const joined = [one, other].filter(({ headers }) => headers.get('preference-applied') === null);
    expect(joined).toHaveLength(1);
    expect(one.id).toBe(other.id);
    expect(one.named).toBe(other.named);
  });
});

/** A caller that waits for the position where something ended finds the connection as it left it. */
async function leftAt(id: string, named: string): Promise<Health> {
  const ended = await eventually(
    () => api.call<Sync | null>('GET', named),
    ({ body }) => body.result?.status === 'completed',
  );
  const headers = { 'x-min-log-position': ended.headers.get('x-log-position') ?? '' };
  expect(headers['x-min-log-position']).not.toBe('');
  return (await api.call<Connection>('GET', `/banks/accounts/${id}`, undefined, headers)).body.result.syncHealth;
}

describe('a sync that has ended', () => {
  it('names the position that a reader waits for to find the connection as it left it', async () => {
    const id = await connectDemoBank(api, bank('left'));
    const { named } = await asked(id, 'sync');
    expect(await leftAt(id, named)).toMatchObject({ status: 'healthy', lastTriggerType: 'manual' });
    const setup = await asked(id, 'setup');
    expect(await leftAt(id, setup.named)).toMatchObject({ status: 'healthy', lastTriggerType: 'setup' });
  });
});

describe('a setup that was asked for', () => {
  it('is named in the answer and read like a sync', async () => {
    const id = await connectDemoBank(api, bank('set up'));
    const again = await asked(id, 'setup', 30);
    expect([again.status, again.state, again.named]).toEqual([
      200,
      'completed',
      `/banks/accounts/${id}/syncs/${again.id}`,
    ]);
    const { result } = (await api.call<Sync>('GET', again.named)).body;
    expect(result).toMatchObject({ id: again.id, trigger: 'setup', status: 'completed', ordinal: 2 });
    const other = await connectDemoBank(api, bank('another'));
    const foreign = await api.call('GET', `/banks/accounts/${other}/syncs/${again.id}`);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'SYNC_NOT_FOUND']);
  });

  it('and failed while the caller waited says so, with its own code, after a sync that failed by another', async () => {
    const id = await connectDemoBank(api, bank('no accounts', away));
    expect((await syncAndWait(api, id, WINDOW)).status).toBe('failed');
    await script(id, 'no accounts', noAccounts);
    const failed = await asked(id, 'setup', 30);
    const { error, status } = (await api.call<Sync>('GET', failed.named)).body.result;
    expect([failed.status, failed.state, status]).toEqual([200, 'failed', 'failed']);
    expect(failed.body.result.syncHealth).toMatchObject({
      status: 'credentials_rejected',
      lastErrorCode: error?.code,
      lastErrorMessage: error?.message,
      lastTriggerType: 'setup',
    });
    const failures = logged(failed.id).filter((line) => line.code !== undefined);
    expect(failures).toMatchObject([{ code: error?.code, connection: id, tenant: api.tenantId }]);
  });
});
