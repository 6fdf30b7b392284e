import type { Replays } from '../audit/replays.ts';
import type { SealingKey } from '../audit/seal.ts';
import type { ProjectionRunner } from '../projections/engine/projection-runner.ts';
import type { openRuleBook } from '../queries/rule-book.ts';
import { openWorkByTenant } from '../queries/work-by-tenant.ts';
import { type Reactor, startReactor } from '../reactors/reactor.ts';
import type { ReactorServices } from '../reactors/reactor-services.ts';
import { dueTransactions, runAutomation } from '../reactors/run-automation.ts';
import { runReplays } from '../reactors/run-replays.ts';
import { runSeals } from '../reactors/run-seals.ts';
import { dueRuns, runRuleRuns } from '../reactors/runs/run-rule-runs.ts';
import { openScheduleWork, runSchedules } from '../reactors/schedules/run-schedules.ts';
import { runSetups, waitingSetups } from '../reactors/syncs/run-setups.ts';
import { openSyncs, runSyncs } from '../reactors/syncs/run-syncs.ts';
import { createWorkPool } from '../reactors/work-pool.ts';
import type { RequestClaims } from '../traffic/request-claims.ts';

/** Of these places a tenant has half at the most. */
const SETUPS_AT_ONCE = 16;
const SYNCS_AT_ONCE = 16;
const RUNS_AT_ONCE = 4;
const REPLAYS_AT_ONCE = 2;
const TURNS_AT_ONCE = 32;
const SWEEP_EVERY_MS = 60_000;

/** Starts all reactors, each woken by the read models it reads. */
export function startReactors(
  services: ReactorServices,
  runner: ProjectionRunner,
  ruleBook: ReturnType<typeof openRuleBook>,
  requestClaims: RequestClaims,
  { sealingKey, replays, runPageSize }: { sealingKey: SealingKey; replays: Replays; runPageSize?: number },
): Reactor[] {
  const { logger, timing, clock } = services;
  const { readModels } = services;
  const setupsWaiting = waitingSetups(readModels);
  const syncsOpen = openSyncs(readModels);
  const automationDue = dueTransactions(services);
  const replaysOpen = openWorkByTenant(readModels, replays.open);
  const runsDue = dueRuns(services);
  const scheduleWork = openScheduleWork(services);
  const common = { logger, idleMs: timing.idleMs, now: clock.now };
  const setupPool = createWorkPool({ size: SETUPS_AT_ONCE, logger, onDone: () => setups.wake() });
  const setups = startReactor({
    ...common,
    name: 'setups',
    pool: setupPool,
    runOnce: () => runSetups(services, setupsWaiting, setupPool),
  });
  const syncPool = createWorkPool({ size: SYNCS_AT_ONCE, logger, onDone: () => syncs.wake() });
  const syncs = startReactor({
    ...common,
    name: 'syncs',
    pool: syncPool,
    runOnce: () => runSyncs(services, runner.waitFor, syncsOpen, syncPool),
  });
  const automation = startReactor({
    ...common,
    name: 'automation',
    runOnce: () => runAutomation(services, automationDue, ruleBook, runner.waitFor),
  });
  const sweeping = startReactor({
    ...common,
    name: 'idempotency keys',
    idleMs: SWEEP_EVERY_MS,
    runOnce: requestClaims.sweep,
  });
  const sweepingConnectorLogs = startReactor({
    ...common,
    name: 'connector logs',
    idleMs: SWEEP_EVERY_MS,
    runOnce: services.connectorLogs.sweep,
  });
  const sealing = {
    log: services.log,
    readModels: services.readModels,
    key: sealingKey,
    sealAfterMs: timing.sealAfterMs,
  };
  const sealPool = createWorkPool({ size: 1, logger, onDone: () => sealer.wake() });
  const sealer = startReactor({
    ...common,
    name: 'seals',
    idleMs: timing.sealIdleMs,
    pool: sealPool,
    runOnce: async () => {
      const work = (signal: AbortSignal) => runSeals(services, sealing, signal);
      sealPool.offer({ tenantId: '', key: 'all tenants', work });
      return false;
    },
  });
  const replayPool = createWorkPool({ size: REPLAYS_AT_ONCE, logger, onDone: () => replaying.wake() });
  const replaying = startReactor({
    ...common,
    name: 'replays',
    pool: replayPool,
    runOnce: () => runReplays(services, { replays, waitFor: runner.waitFor }, replaysOpen, replayPool),
  });
  const runPool = createWorkPool({ size: RUNS_AT_ONCE, logger, onDone: () => ruleRuns.wake() });
  const tools = {
    ruleBook,
    waitFor: runner.waitFor,
    ...(runPageSize === undefined ? {} : { pageSize: runPageSize }),
  };
  const ruleRuns = startReactor({
    ...common,
    name: 'rule runs',
    pool: runPool,
    runOnce: () => runRuleRuns(services, tools, runsDue, runPool),
  });
  const turnPool = createWorkPool({ size: TURNS_AT_ONCE, logger, onDone: () => schedules.wake() });
  const schedules = startReactor({
    ...common,
    name: 'schedules',
    pool: turnPool,
    runOnce: () => runSchedules(services, scheduleWork, turnPool),
  });
  const wokenBy: Readonly<Record<string, readonly Reactor[]>> = {
    connections: [setups],
    'sync-runs': [syncs, schedules],
    transactions: [automation],
    'rule-runs': [ruleRuns],
    schedules: [schedules],
    'schedule-runs': [schedules],
  };
  runner.onApplied(({ name }) => {
    for (const reactor of wokenBy[name] ?? []) reactor.wake();
  });
  return [setups, syncs, automation, ruleRuns, schedules, sweeping, sweepingConnectorLogs, sealer, replaying];
}
