import { projections } from '../../src/projections/all.ts';
import type { KnownConnection } from './acknowledged.ts';
import { daysBefore } from './bank-books.ts';
import { firstOf, type History, sortHistory, transactionAfter } from './checks/history.ts';
import type { Client } from './client.ts';
import type { World } from './world.ts';

const MOST_SETTLING_MS = 6 * 3_600_000;
const VISIBLE_WITHIN_MS = 120_000;
const SYNC_ATTEMPTS = 20;
const REST_ATTEMPTS = 20;

/** What is open, from the log alone. */
function openWork(history: History): string[] {
  const open: string[] = [];
  for (const [id, events] of history.of('syncRun')) {
    const end = events.at(-1)?.type ?? '';
    if (!['SyncCompleted', 'SyncFailed', 'SyncCancelled'].includes(end)) open.push(`sync ${id}`);
  }
  for (const [id, events] of history.of('ruleRun')) {
    const ends = ['RunCompleted', 'RunCancelled', 'RunDied'];
    if (!events.some(({ type }) => ends.includes(type))) open.push(`run ${id}`);
  }
  for (const [id, events] of history.of('scheduleRun')) {
    if (firstOf(events, 'ScheduleRunEnded') === undefined) open.push(`turn ${id}`);
  }
  for (const [id, events] of history.of('bankConnection')) {
    const asked = events.findLast(({ type }) => type === 'ConnectionSetupRequested');
    const done = events.findLast(({ type }) => type === 'ConnectionSetUp' || type === 'ConnectionSetupFailed');
    if (asked !== undefined && asked.position > (done?.position ?? '')) open.push(`setup of ${id}`);
  }
  for (const [id, events] of history.of('bankTransaction')) {
    const { status } = transactionAfter(events).automation;
    if (status === 'pending' || status === 'retry') open.push(`automation of ${id}`);
  }
  return open;
}

/** Of a log of that length, since most looks find the log as it was. */
const lastLooks = new WeakMap<World, { readonly length: number; readonly open: readonly string[] }>();

function openIn(world: World): readonly string[] {
  const { length } = world.logDisk.events;
  const last = lastLooks.get(world);
  if (last?.length === length) return last.open;
  const open = openWork(sortHistory(world.events()));
  lastLooks.set(world, { length, open });
  return open;
}

/** Resolves once nothing is open. @throws Error when that takes hours of simulated time */
export async function settled(world: World): Promise<void> {
  const untilMs = world.scheduler.nowMs() + MOST_SETTLING_MS;
  for (;;) {
    await world.scheduler.pause(1_000, world.nature);
    const open = openIn(world);
    if (open.length === 0) return;
    if (world.scheduler.nowMs() > untilMs) throw new Error(`it does not settle: ${open.slice(0, 5)} remain open`);
  }
}

/**
 * A setup and a sync of everything without faults; false for a connection without credentials.
 * @throws Error when they do not succeed
 */
export async function syncQuietly(world: World, auditor: Client, connection: KnownConnection): Promise<boolean> {
  if (!connection.hasCredentials) return false;
  const path = `/banks/accounts/${connection.id}`;
  const setUp = await auditor.ask('POST', `${path}/setup`);
  if (setUp === 'unknown' || setUp.status >= 300) throw new Error(`no setup without faults: ${JSON.stringify(setUp)}`);
  await settled(world);
  for (let attempt = 0; attempt < SYNC_ATTEMPTS; attempt += 1) {
    const synced = await auditor.ask('POST', `${path}/sync`, { from: daysBefore(world.scheduler.nowMs(), 8) });
    if (synced !== 'unknown' && synced.status < 300) {
      await settled(world);
      const syncs = [...sortHistory(world.events()).of('syncRun').values()];
      const own = syncs.filter((events) => firstOf(events, 'SyncRequested')?.accountId === connection.id);
      const last = own.at(-1)?.at(-1);
      if (last?.type === 'SyncCompleted') return true;
      throw new Error(`a sync without faults ended with ${JSON.stringify(last)}`);
    }
    // The bank may have asked to wait before the faults ended.
    await auditor.pause(3_000);
  }
  throw new Error(`${connection.title} cannot be synced without faults`);
}

/**
 * Resolves when every read model contains the whole log, and nothing was added meanwhile.
 * @throws Error when one stays behind, or the log does not come to rest
 */
export async function readModelsReached(world: World): Promise<void> {
  const names = projections.map(({ name }) => name);
  for (let attempt = 0; attempt < REST_ATTEMPTS; attempt += 1) {
    const [service] = world.instances().flatMap((instance) => instance.service() ?? []);
    const before = world.logDisk.events.length;
    const head = world.events().at(-1)?.position ?? '';
    if (service !== undefined) {
      const reached = await service.httpServices.waitFor(names, head, VISIBLE_WITHIN_MS);
      if (!reached) {
        const states = service.runner?.status().filter(({ position }) => position < head);
        throw new Error(`read models stay behind ${head}: ${JSON.stringify(states)}`);
      }
      if (world.logDisk.events.length === before) return;
    }
    await world.scheduler.pause(1_000, world.nature);
  }
  throw new Error('the log does not come to rest');
}
