import { afterEach, beforeEach, expect, it } from 'vitest';
import { endSetup, requestSetup } from '../../src/commands/change-connection.ts';
import type { CommandContext } from '../../src/commands/command.ts';
import { openConnection } from '../../src/commands/open-connection.ts';
import { syncIdOf } from '../../src/commands/request-sync.ts';
import { scheduleRunIdOf, takeTurn } from '../../src/commands/schedule-runs.ts';
import { streamName } from '../../src/log/streams.ts';
import { type ScheduleRunDocument, scheduleRuns } from '../../src/projections/schedule-runs.ts';
import { schedules } from '../../src/projections/schedules.ts';
import { documentAfter } from '../../src/queries/after-write.ts';
import { executeScheduleRun } from '../../src/reactors/schedules/execute-schedule-run.ts';
import { contextOn, type SmallWorld, setClock, smallWorld } from '../support/small-reactor-services.ts';

const clock = setClock('2026-03-01T12:00:00Z');
const runId = scheduleRunIdOf('schedule', 1);
let world: SmallWorld;
let context: CommandContext;
let accountId: string;
/** As the read model shows it for a while after it was queued. */
let queued: ScheduleRunDocument;

beforeEach(async () => {
  world = await smallWorld(clock, [schedules]);
  context = contextOn(world.services.log, clock);
  const opened = await openConnection(context, { bankCode: 'demo', title: 'Connection', environment: 'demo' });
  accountId = opened.accepted ? (opened.state.opened?.accountId ?? '') : '';
  const dueAt = '2026-03-01T12:00:00.000Z';
  const nextRunAt = '2026-03-01T12:05:00.000Z';
  const turn = { scheduleId: 'schedule', accountId, ordinal: 1, dueAt, missedTurns: 0, nextRunAt };
  const taken = await takeTurn(context, turn);
  if (!taken.accepted) throw new Error('the turn was not taken');
  queued = documentAfter(scheduleRuns, taken.events);
});
afterEach(() => world.stop());

async function setUp(): Promise<void> {
  const asked = await requestSetup(context, accountId, false);
  const setupId = asked.accepted ? (asked.state.setupId ?? '') : '';
  const completedAt = '2026-03-01T12:00:01.000Z';
  const data = { setupId, completedAt, durationMs: 1, requests: 1, subAccounts: [] };
  await endSetup(context, accountId, { type: 'ConnectionSetUp', data });
}

async function typesOf(category: 'scheduleRun' | 'syncRun', id: string): Promise<string[]> {
  const events = await world.services.log.readStream(streamName(category, context.tenantId, id));
  return events.map(({ type }) => type);
}

it('is not done once more while the read model does not show its end', async () => {
  expect(await executeScheduleRun(world.services, queued)).toBe(true);
  expect(await typesOf('scheduleRun', runId)).toEqual(['ScheduleRunQueued', 'ScheduleRunEnded']);
  await setUp();
  expect(await executeScheduleRun(world.services, queued)).toBe(false);
  expect(await typesOf('syncRun', syncIdOf(accountId, 1))).toEqual([]);
});

it('is not done once more while the read model does not show its sync', async () => {
  await setUp();
  expect(await executeScheduleRun(world.services, queued)).toBe(true);
  expect(await typesOf('scheduleRun', runId)).toEqual(['ScheduleRunQueued', 'ScheduleRunStarted']);
  expect(await executeScheduleRun(world.services, queued)).toBe(false);
  expect(await typesOf('syncRun', syncIdOf(accountId, 1))).toEqual(['SyncRequested']);
});
