import type { CommandContext } from '../../src/commands/command.ts';
import { eventCodec } from '../../src/events/registry.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import type { EventLog } from '../../src/log/log.ts';
import { type ProjectionRunner, startProjections } from '../../src/projections/engine/projection-runner.ts';
import { openReadModels } from '../../src/projections/engine/read-models.ts';
import { collectionSpec, type RunnableProjection } from '../../src/projections/engine/runnable.ts';
import { ruleVersions } from '../../src/projections/rules.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { defaultTiming, type ReactorServices } from '../../src/reactors/reactor-services.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { Clock } from '../../src/shared/clock.ts';
import { newId } from '../../src/shared/ids.ts';

export type SetClock = Clock & { set: (iso: string) => void; pass: (ms: number) => void };

/** A clock that stands still until it is moved. */
export function setClock(iso: string): SetClock {
  let nowMs = Date.parse(iso);
  return {
    now: () => nowMs,
    set: (to) => {
      nowMs = Date.parse(to);
    },
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

export function memoryLog(): EventLog {
  return openEmbeddedLog({ file: ':memory:', codec: eventCodec });
}

export function contextOn(log: EventLog, clock: Clock, companyId: string | null = 'company'): CommandContext {
  const actor = { type: 'api-key', id: 'key' } as const;
  return { log, clock, newId, tenantId: 'tenant', companyId, actor, correlationId: 'request' };
}

export type SmallWorld = {
  readonly services: ReactorServices;
  readonly runner: ProjectionRunner;
  readonly stop: () => Promise<void>;
};

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Log, read models and the projections that automation needs, in memory; no reactor runs by itself. */
export async function smallWorld(
  clock: Clock,
  projections: readonly RunnableProjection[] = [transactions, ruleVersions],
): Promise<SmallWorld> {
  const log = memoryLog();
  const readStore = openEmbeddedReadStore({ file: ':memory:' });
  for (const projection of projections) await readStore.ensureCollection(collectionSpec(projection));
  const readModels = await openReadModels({ readStore, projections });
  // The projections use the real time: their leases are not tested here.
  const runner = startProjections({
    log,
    readStore,
    projections,
    clock: { now: () => Date.now() },
    owner: 'projections',
  });
  const services: ReactorServices = {
    log,
    readStore,
    readModels,
    providers: new Map(),
    vault: { put: unused, get: unused, destroy: unused },
    connectorLogs: { write: unused, get: unused, page: unused, count: unused, behindRow: unused, sweep: unused },
    clock,
    newId,
    random: () => 0.5,
    logger: silent,
    owner: 'worker-one',
    timing: defaultTiming,
  };
  return {
    services,
    runner,
    async stop() {
      await runner.stop();
      await readStore.close();
      await log.close();
    },
  };
}

function unused(): never {
  throw new Error('not part of these services');
}
