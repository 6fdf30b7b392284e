import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endSetup, requestSetup } from '../../src/commands/change-connection.ts';
import { continueSync, holdSync } from '../../src/commands/continue-sync.ts';
import { openConnection } from '../../src/commands/open-connection.ts';
import { requestSync } from '../../src/commands/request-sync.ts';
import type { EventLog } from '../../src/log/log.ts';
import { contextOn, memoryLog, type SetClock, setClock } from '../support/small-reactor-services.ts';

let log: EventLog;
let clock: SetClock;
let accountId: string;

beforeEach(async () => {
  log = memoryLog();
  clock = setClock('2026-01-05T10:00:00.000Z');
  const context = contextOn(log, clock);
  const opened = await openConnection(context, { bankCode: 'demo', environment: 'demo', title: 'Main' });
  accountId = opened.accepted ? (opened.state.opened?.accountId ?? '') : '';
  const asked = await requestSetup(context, accountId, false);
  const setupId = asked.accepted ? (asked.state.setupId ?? '') : '';
  const completedAt = new Date(clock.now()).toISOString();
  const data = { setupId, completedAt, durationMs: 0, requests: 1, subAccounts: [] };
  await endSetup(context, accountId, { type: 'ConnectionSetUp', data });
});
afterEach(() => log.close());

const ask = (syncsPerDay: number | null = null, companyId: string | null = 'company') =>
  requestSync(contextOn(log, clock, companyId), accountId, {
    trigger: 'manual',
    from: null,
    to: null,
    syncsPerDay: () => syncsPerDay,
  });

async function complete(syncId: string): Promise<void> {
  const completedAt = new Date(clock.now()).toISOString();
  const data = { accountId, completedAt, durationMs: 0, requests: 1, balances: [] };
  await continueSync(await holdSync(contextOn(log, clock), syncId), { type: 'SyncCompleted', data });
}

async function runOne(syncsPerDay: number | null): Promise<number> {
  const outcome = await ask(syncsPerDay);
  if (!outcome.accepted) throw new Error(outcome.refused);
  await complete(outcome.syncId);
  return (await holdSync(contextOn(log, clock), outcome.syncId)).state().requested?.ordinal ?? 0;
}

describe('a request for a sync', () => {
  it('starts one, however many requests arrive at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(outcomes.filter((one) => one.accepted && one.started)).toHaveLength(1);
    expect(new Set(outcomes.map((one) => (one.accepted ? one.syncId : ''))).size).toBe(1);
  });

  it('numbers them without a gap', async () => {
    const ordinals: number[] = [];
    for (let nth = 0; nth < 20; nth += 1) ordinals.push(await runOne(null));
    expect(ordinals).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('is refused once the day’s quota is used, until the next UTC day', async () => {
    await runOne(2);
    await runOne(2);
    expect(await ask(2)).toEqual({
      accepted: false,
      refused: 'PROVIDER_QUOTA_EXHAUSTED',
      meta: { nextAllowedAt: '2026-01-06T00:00:00.000Z' },
    });
    clock.set('2026-01-06T00:00:00.000Z');
    expect(await runOne(2)).toBe(3);
    expect(await runOne(2)).toBe(4);
    expect(await ask(2)).toMatchObject({ refused: 'PROVIDER_QUOTA_EXHAUSTED' });
  });

  it('does not count what only joined', async () => {
    const [first] = await Promise.all([ask(1), ask(1), ask(1)]);
    expect(first).toMatchObject({ accepted: true });
    expect(await ask(1)).toMatchObject({ accepted: true, started: false });
  });

  it('does not find a connection of another company', async () => {
    expect(await ask(null, 'another')).toEqual({ accepted: false, refused: 'CONNECTION_NOT_FOUND' });
  });
});
