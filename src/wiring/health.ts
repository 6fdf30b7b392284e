import type { PartHealth } from '../http/core/part-health.ts';
import type { EventLog } from '../log/log.ts';
import type { ProjectionStatus } from '../projections/engine/projection-status.ts';
import { type ReadStore, ReadStoreDamaged, ReadStoreUnavailable } from '../readstore/read-store.ts';

const TOO_FAR_BEHIND_MS = 60_000;

export type ProjectionHealth = Pick<ProjectionStatus, 'name' | 'state' | 'lagEvents' | 'lagIsEstimate' | 'lagMs'> & {
  readonly error: string | null;
};

export type BackgroundHealth = {
  readonly projections: readonly ProjectionHealth[];
  readonly workers: readonly { readonly name: string; readonly state: 'waiting' | 'working' | 'failing' }[];
};

/** The parts of this instance and their health: the answer of `/health/ready`. */
export async function healthOf(services: {
  log: EventLog;
  readStore: ReadStore;
  /** Names of the projections whose checkpoint is ahead of the log. */
  ahead: () => Promise<string[]>;
  /** The projections, whichever instance runs them, and the reactors of this one. */
  background: () => Promise<BackgroundHealth>;
  /** Those of the named read models that never were whole. */
  partial: (names: readonly string[]) => Promise<string[]>;
  /** Whether requests find the tenant of a first start; true in every later start. */
  isPrepared: () => Promise<boolean>;
}): Promise<PartHealth[]> {
  const pings = [pinged('event store', services.log), pinged('read store', services.readStore)];
  const background = ifUnavailable(services.background(), { projections: [], workers: [] });
  const [parts, ahead, { projections, workers }] = await Promise.all([
    Promise.all(pings),
    services.ahead(),
    background,
  ]);
  const partial = await ifUnavailable(services.partial(projections.map(({ name }) => name)), []);
  for (const { name, state, lagEvents, lagIsEstimate, lagMs, error } of projections) {
    if (ahead.includes(name)) continue;
    parts.push({
      name: `projection ${name}`,
      state: state === 'standby' && partial.includes(name) ? 'catching-up' : state,
      ok: state !== 'halted' && !partial.includes(name) && lagMs <= TOO_FAR_BEHIND_MS,
      lagEvents,
      ...(lagIsEstimate ? { lagEstimated: true } : {}),
      lagMs,
      ...(error === null ? {} : { error }),
    });
  }
  for (const name of ahead) {
    parts.push({ name: `projection ${name}`, state: 'ahead', ok: false, error: 'its checkpoint is ahead of the log' });
  }
  if (!(await services.isPrepared())) parts.push({ name: 'first start', state: 'preparing', ok: false });
  for (const { name, state } of workers) parts.push({ name: `worker ${name}`, state, ok: state !== 'failing' });
  return parts;
}

/** Where the read store is unavailable, its own part says so. */
async function ifUnavailable<T>(asked: Promise<T>, instead: T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ReadStoreUnavailable) return instead;
    throw error;
  }
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
