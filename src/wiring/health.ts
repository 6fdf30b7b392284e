import type { PartHealth } from '../http/core/part-health.ts';
import type { EventLog } from '../log/log.ts';
import type { ProjectionRunner } from '../projections/engine/projection-runner.ts';
import type { Reactor } from '../reactors/reactor.ts';
import { type ReadStore, ReadStoreDamaged } from '../readstore/read-store.ts';

const TOO_FAR_BEHIND_MS = 60_000;

/** The parts of this instance and their health: the answer of `/health/ready`. */
export async function healthOf(services: {
  log: EventLog;
  readStore: ReadStore;
  /** Names of the projections whose checkpoint is ahead of the log. */
  ahead: () => Promise<string[]>;
  runner: ProjectionRunner | null;
  reactors: readonly Reactor[];
}): Promise<PartHealth[]> {
  const pings = [pinged('event store', services.log), pinged('read store', services.readStore)];
  const [parts, ahead] = await Promise.all([Promise.all(pings), services.ahead()]);
  for (const { name, state, lagEvents, lagMs, whole, error } of services.runner?.status() ?? []) {
    if (ahead.includes(name)) continue;
    parts.push({
      name: `projection ${name}`,
      state,
      ok: state !== 'halted' && whole && lagMs <= TOO_FAR_BEHIND_MS,
      lagEvents,
      lagMs,
      ...(error === null ? {} : { error: error.message }),
    });
  }
  for (const name of ahead) {
    parts.push({ name: `projection ${name}`, state: 'ahead', ok: false, error: 'its checkpoint is ahead of the log' });
  }
  for (const reactor of services.reactors) {
    const failure = reactor.failure();
    parts.push({
      name: `worker ${reactor.name}`,
      state: failure === null ? 'working' : 'failing',
      ok: failure === null,
    });
  }
  return parts;
}

async function pinged(name: string, store: { ping: () => Promise<void> }): Promise<PartHealth> {
  try {
    await store.ping();
    return { name, state: 'up', ok: true };
  } catch (error) {
    if (error instanceof ReadStoreDamaged) return { name, state: 'damaged', ok: false, error: error.message };
    return { name, state: 'down', ok: false };
  }
}
