import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slowReadModels } from '../support/slow-read-models.ts';
import { connectDemoBank, eventually, startTestService, type TestService } from '../support/test-service.ts';

type Schedule = {
  id: string;
  status: string;
  nextRunAt: string | null;
  lastOutcome: string | null;
  consecutiveFailures: number;
  pausedReason: string | null;
};
type Run = {
  id: string;
  trigger: string;
  status: string;
  dueAt: string | null;
  missedTurns: number;
  syncId: string | null;
  reason: string | null;
};

const START = Date.parse('2026-03-02T08:00:00.000Z');
const MINUTE = 60_000;

let api: TestService;
let nowMs: number;
beforeEach(async () => {
  nowMs = START;
  api = await startTestService({ clock: { now: () => nowMs }, timing: { idleMs: 20, leaseMs: 30_000 } });
});
afterEach(() => api.stop());

async function create(accountId: string, timing: object): Promise<Schedule> {
  const created = await api.call<Schedule>('POST', '/banks/schedules', { accountId, ...timing });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return created.body.result;
}
/** The schedule as it is now; a new one may take a moment to be seen. */
const scheduleOf = (id: string) =>
  eventually(
    async () => (await api.call<Schedule>('GET', `/banks/schedules/${id}`)).body.result,
    (schedule) => schedule !== undefined,
  );
const runsOf = async (id: string) => {
  await scheduleOf(id);
  return (await api.call<{ items: Run[] }>('GET', `/banks/schedules/${id}/runs?limit=200`)).body.result.items;
};

/** All runs once there are so many and none of them is open. */
const settled = (id: string, count: number) =>
  eventually(
    () => runsOf(id),
    (runs) => runs.length >= count && runs.every(({ status }) => !['queued', 'running'].includes(status)),
  );

/** Nothing more comes although the reactors have looked again several times. */
async function quiet(id: string, count: number): Promise<void> {
  await new Promise((done) => setTimeout(done, 200));
  expect(await runsOf(id)).toHaveLength(count);
}

const FAILING = { steps: [{ at: { operation: 'page', attempts: 1_000 }, do: 'reject-credentials' }] };

describe('a schedule', () => {
  it.each(['never-issued', 'no id: ä/..', '$where'])(
    'is not made for a connection that is not there: %s',
    async (accountId) => {
      const answer = await api.call('POST', '/banks/schedules', { accountId, everyMinutes: 60 });
      expect([answer.status, answer.body.code]).toEqual([404, 'CONNECTION_NOT_FOUND']);
    },
  );

  it('syncs its connection at each turn, once', async () => {
    const connection = await connectDemoBank(api);
    const schedule = await create(connection, { cron: '30 11 * * *', timezone: 'Europe/Istanbul' });
    expect(schedule).toMatchObject({ status: 'active', nextRunAt: '2026-03-02T08:30:00.000Z', lastOutcome: null });
    await quiet(schedule.id, 0);
    nowMs = START + 30 * MINUTE;
    const [run] = await settled(schedule.id, 1);
    expect(run).toMatchObject({ trigger: 'schedule', status: 'succeeded', dueAt: '2026-03-02T08:30:00.000Z' });
    await api.service.httpServices.waitFor(['schedules'], await api.service.log.head(), 100_000);
    expect(await scheduleOf(schedule.id)).toMatchObject({
      lastOutcome: 'succeeded',
      nextRunAt: '2026-03-03T08:30:00.000Z',
    });
    const health = await api.call<{ syncHealth: object }>('GET', `/banks/accounts/${connection}/health`);
    expect(health.body.result.syncHealth).toMatchObject({ status: 'healthy', lastTriggerType: 'schedule' });
    await quiet(schedule.id, 1);
  });

  it('runs once for all missed turns, and repeats none when the clock is set back', async () => {
    const schedule = await create(await connectDemoBank(api), { everyMinutes: 60 });
    nowMs = START + 10 * 60 * MINUTE + 30 * MINUTE;
    const [run] = await settled(schedule.id, 1);
    expect(run).toMatchObject({ dueAt: new Date(START + 600 * MINUTE).toISOString(), missedTurns: 9 });
    nowMs = START;
    await quiet(schedule.id, 1);
    nowMs = START + 11 * 60 * MINUTE;
    const [next] = await settled(schedule.id, 2);
    expect(next).toMatchObject({ dueAt: new Date(START + 660 * MINUTE).toISOString(), missedTurns: 0 });
  });

  it('skips turns while it is paused, and can still be run manually', async () => {
    const schedule = await create(await connectDemoBank(api), { everyMinutes: 60 });
    const paused = await api.call<Schedule>('PATCH', `/banks/schedules/${schedule.id}/pause`);
    expect(paused.body.result).toMatchObject({ status: 'paused', nextRunAt: null, pausedReason: null });
    nowMs = START + 90 * MINUTE;
    await quiet(schedule.id, 0);
    const asked = await api.call<Run>('POST', `/banks/schedules/${schedule.id}/run`);
    expect([asked.status, asked.body.result.status, asked.body.result.trigger]).toEqual([202, 'queued', 'manual']);
    expect(await settled(schedule.id, 1)).toMatchObject([{ status: 'succeeded', dueAt: null }]);
    const resumed = await api.call<Schedule>('PATCH', `/banks/schedules/${schedule.id}/resume`);
    expect(resumed.body.result).toMatchObject({
      status: 'active',
      nextRunAt: new Date(START + 120 * MINUTE).toISOString(),
    });
    await quiet(schedule.id, 1);
  });

  it('takes no turn once it is paused, also while the read models are behind', async () => {
    const schedule = await create(await connectDemoBank(api), { everyMinutes: 60 });
    await scheduleOf(schedule.id);
    slowReadModels(api.service, 300);
    await api.call<Schedule>('PATCH', `/banks/schedules/${schedule.id}/pause`);
    nowMs = START + 90 * MINUTE;
    await quiet(schedule.id, 0);
    await api.service.httpServices.waitFor(['schedules', 'schedule-runs'], await api.service.log.head(), 100_000);
    await quiet(schedule.id, 0);
  });

  it('applies a change at once, refuses turns that are too frequent or invalid, and no longer exists once deleted', async () => {
    const connection = await connectDemoBank(api);
    const schedule = await create(connection, { everyMinutes: 60 });
    const path = `/banks/schedules/${schedule.id}`;
    const changed = await api.call<Schedule>('PATCH', path, { cron: '0 12 * * *', timezone: 'UTC', title: 'Noon' });
    expect(changed.body.result).toMatchObject({
      nextRunAt: '2026-03-02T12:00:00.000Z',
      title: 'Noon',
      everyMinutes: null,
    });
    const codeOf = async (body: object) => (await api.call('PATCH', path, body)).body.code;
    expect(await codeOf({ everyMinutes: 4 })).toBe('SCHEDULE_TOO_FREQUENT');
    expect(await codeOf({ cron: '0 0 30 2 *' })).toBe('VALIDATION_FAILED');
    expect(await codeOf({ cron: '0 6 * * *', everyMinutes: 60 })).toBe('VALIDATION_FAILED');
    expect(await codeOf({ timezone: 'Mars/Olympus' })).toBe('VALIDATION_FAILED');
    expect((await api.call('POST', '/banks/schedules', { accountId: connection })).body.code).toBe('VALIDATION_FAILED');
    expect((await api.call('DELETE', path)).status).toBe(200);
    await api.service.httpServices.waitFor(['schedules'], await api.service.log.head(), 100_000);
    expect((await api.call('GET', path)).body.code).toBe('SCHEDULE_NOT_FOUND');
    expect((await api.call('POST', `${path}/run`)).body.code).toBe('SCHEDULE_NOT_FOUND');
  });

  it('waits longer after each failure, pauses itself after 10 in a row, and resumes with new credentials', async () => {
    const connection = await connectDemoBank(api, { script: FAILING });
    const schedule = await create(connection, { everyMinutes: 5 });
    const waits: number[] = [];
    for (let failures = 1; failures <= 10; failures += 1) {
      const { nextRunAt } = await scheduleOf(schedule.id);
      waits.push((Date.parse(nextRunAt ?? '') - nowMs) / MINUTE);
      nowMs = Date.parse(nextRunAt ?? '');
      await settled(schedule.id, failures);
      await eventually(
        () => scheduleOf(schedule.id),
        (one) => one.consecutiveFailures === failures,
      );
    }
    expect(waits).toEqual([5, 5, 10, 20, 40, 80, 160, 320, 640, 1280]);
    nowMs += 2 * 24 * 60 * MINUTE;
    const paused = await eventually(
      () => scheduleOf(schedule.id),
      ({ status }) => status === 'paused',
    );
    expect(paused).toMatchObject({ pausedReason: 'FAILED_TOO_OFTEN', nextRunAt: null, lastOutcome: 'failed' });
    await quiet(schedule.id, 10);

    nowMs += MINUTE;
    await api.call('PUT', `/banks/accounts/${connection}/credentials`, { seed: 'renewed' });
    const resumed = await eventually(
      () => scheduleOf(schedule.id),
      ({ status }) => status === 'active',
    );
    expect(resumed).toMatchObject({ pausedReason: null, consecutiveFailures: 0 });
    nowMs = Date.parse(resumed.nextRunAt ?? '');
    const [run] = await settled(schedule.id, 11);
    expect(run).toMatchObject({ status: 'succeeded' });
  });

  it('skips a turn while its connection is disabled, and pauses itself once that is archived', async () => {
    const connection = await connectDemoBank(api);
    const schedule = await create(connection, { everyMinutes: 60 });
    await api.call('PATCH', `/banks/accounts/${connection}`, { status: false });
    nowMs += 60 * MINUTE;
    expect(await settled(schedule.id, 1)).toMatchObject([{ status: 'skipped', reason: 'CONNECTION_DISABLED' }]);
    expect(await scheduleOf(schedule.id)).toMatchObject({ status: 'active', consecutiveFailures: 0 });
    await api.call('POST', `/banks/accounts/${connection}/archive`);
    nowMs += 60 * MINUTE;
    const paused = await eventually(
      () => scheduleOf(schedule.id),
      ({ status }) => status === 'paused',
    );
    expect(paused.pausedReason).toBe('CONNECTION_ARCHIVED');
    expect((await settled(schedule.id, 2))[0]).toMatchObject({ status: 'skipped', reason: 'CONNECTION_ARCHIVED' });
  });
});

describe('the turns of a line', () => {
  const turns = (query: string) => api.call<{ turns: string[] }>('GET', `/banks/schedules/turns?${query}`);

  it('are those that a schedule would have, clock changes included', async () => {
    const line = new URLSearchParams({ cron: '30 2 * * *', timezone: 'Europe/Berlin', from: '2026-03-27', count: '3' });
    expect((await turns(String(line))).body.result.turns).toEqual([
      '2026-03-27T01:30:00.000Z',
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
    ]);
    const interval = await turns('everyMinutes=90&from=2026-01-01&count=2');
    expect(interval.body.result.turns).toEqual(['2026-01-01T01:30:00.000Z', '2026-01-01T03:00:00.000Z']);
  });

  it('end ten years ahead, however rarely the line falls due', async () => {
    const rare = new URLSearchParams({ cron: '0 0 29 2 *', from: '2026-01-01', count: '50' });
    expect((await turns(String(rare))).body.result.turns).toEqual([
      '2028-02-29T00:00:00.000Z',
      '2032-02-29T00:00:00.000Z',
    ]);
  });

  it('need one of line and interval', async () => {
    for (const query of [
      '',
      'cron=0+6+*+*+*&everyMinutes=5',
      'cron=nonsense',
      'everyMinutes=0',
      'everyMinutes=5&count=51',
    ]) {
      expect((await turns(query)).body.code, query).toBe('VALIDATION_FAILED');
    }
  });
});
