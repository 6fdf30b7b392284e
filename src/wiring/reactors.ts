import type { Replays } from '../audit/replays.ts';
import type { SealingKey } from '../audit/seal.ts';
import type { ProjectionRunner } from '../projections/engine/projection-runner.ts';
import { ruleVersions } from '../projections/rules.ts';
import type { openRuleBook } from '../queries/rule-book.ts';
import { openWorkByTenant } from '../queries/work-by-tenant.ts';
import { type Reactor, startReactor } from '../reactors/reactor.ts';
import type { ReactorServices } from '../reactors/reactor-services.ts';
import { onlyThese, openUntilCaughtUp } from '../reactors/read-models-first.ts';
import { dueTransactions, runAutomation } from '../reactors/run-automation.ts';
import { runReplays } from '../reactors/run-replays.ts';
import { runSeals } from '../reactors/run-seals.ts';
import { dueRuns, runRuleRuns } from '../reactors/runs/run-rule-runs.ts';
import { openScheduleWork, runSchedules } from '../reactors/schedules/run-schedules.ts';
import { runSetups, waitingSetups } from '../reactors/syncs/run-setups.ts';
import { openSyncs, runSyncs } from '../reactors/syncs/run-syncs.ts';
import { createWorkPool } from '../reactors/work-pool.ts';
import type { RequestClaims } from '../traffic/request-claims.ts';
import { WORKER_READS } from './worker-reads.ts';

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
  const untilCaughtUp = openUntilCaughtUp({ log: services.log, waitFor: runner.waitFor });
  const reading = (name: keyof typeof WORKER_READS): ReactorServices => ({
    ...services,
    readModels: onlyThese(services.readModels, name, WORKER_READS[name]),
  });
  const named = (name: keyof typeof WORKER_READS) => ({
    name,
    beginsAfter: (signal: AbortSignal) => untilCaughtUp(WORKER_READS[name], signal),
  });
  const forSetups = reading('setups');
  const forSyncs = reading('syncs');
  const forAutomation = reading('automation');
  const forReplays = reading('replays');
  const forRuns = reading('rule runs');
  const forSchedules = reading('schedules');
  const forSeals = reading('seals');
  const setupsWaiting = waitingSetups(forSetups.readModels);
  const syncsOpen = openSyncs(forSyncs.readModels);
  const automationDue = dueTransactions(forAutomation);
  const replaysOpen = openWorkByTenant(forReplays.readModels, replays.open);
  const runsDue = dueRuns(forRuns);
  const scheduleWork = openScheduleWork(forSchedules);
  const common = { logger, idleMs: timing.idleMs, now: clock.now };
  const setupPool = createWorkPool({ size: SETUPS_AT_ONCE, logger, onDone: () => setups.wake() });
  const setups = startReactor({
    ...common,
    ...named('setups'),
    pool: setupPool,
    runOnce: () => runSetups(forSetups, setupsWaiting, setupPool),
  });
  const rulesHere = {
    ruleBook,
    knownTo: () => runner.standings().find(({ name, liveHere }) => name === ruleVersions.name && liveHere)?.position,
  };
  const syncPool = createWorkPool({ size: SYNCS_AT_ONCE, logger, onDone: () => syncs.wake() });
  const syncs = startReactor({
    ...common,
    ...named('syncs'),
    pool: syncPool,
    runOnce: () => runSyncs(forSyncs, runner.waitFor, rulesHere, syncsOpen, syncPool),
  });
  const automation = startReactor({
    ...common,
    ...named('automation'),
    runOnce: () => runAutomation(forAutomation, automationDue, ruleBook, runner.waitFor),
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
    readModels: forSeals.readModels,
    key: sealingKey,
    sealAfterMs: timing.sealAfterMs,
  };
  const sealPool = createWorkPool({ size: 1, logger, onDone: () => sealer.wake() });
  const sealer = startReactor({
    ...common,
    ...named('seals'),
    idleMs: timing.sealIdleMs,
    pool: sealPool,
    runOnce: async () => {
      const work = (signal: AbortSignal) => runSeals(forSeals, sealing, signal);
      sealPool.offer({ tenantId: '', key: 'all tenants', work });
      return false;
    },
  });
  const replayPool = createWorkPool({ size: REPLAYS_AT_ONCE, logger, onDone: () => replaying.wake() });
  const replaying = startReactor({
    ...common,
    ...named('replays'),
    pool: replayPool,
    runOnce: () => runReplays(forReplays, { replays, waitFor: runner.waitFor }, replaysOpen, replayPool),
  });
  const runPool = createWorkPool({ size: RUNS_AT_ONCE, logger, onDone: () => ruleRuns.wake() });
  const tools = {
    ruleBook,
    waitFor: runner.waitFor,
    ...(runPageSize === undefined ? {} : { pageSize: runPageSize }),
  };
  const ruleRuns = startReactor({
    ...common,
    ...named('rule runs'),
    pool: runPool,
    runOnce: () => runRuleRuns(forRuns, tools, runsDue, runPool),
  });
  const turnPool = createWorkPool({ size: TURNS_AT_ONCE, logger, onDone: () => schedules.wake() });
  const schedules = startReactor({
    ...common,
    ...named('schedules'),
    pool: turnPool,
    runOnce: () => runSchedules(forSchedules, scheduleWork, turnPool),
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
