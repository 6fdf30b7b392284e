import { hash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createAccessTokens } from './access/access-token.ts';
import { openApiKeyUses } from './access/api-key-uses.ts';
import { createApiKeys } from './access/api-keys.ts';
import { createAuthenticateBearer } from './access/authenticate-bearer.ts';
import { createAuthenticateKey } from './access/authenticate-key.ts';
import { type BootstrapResult, bootstrap } from './access/bootstrap.ts';
import { createFailedAttempts } from './access/failed-attempts.ts';
import { becomesVisible } from './access/first-start.ts';
import { createIsCompany } from './access/known-companies.ts';
import { openLoginAttempts } from './access/login-attempts.ts';
import { openLoginNames } from './access/login-names.ts';
import { createOutsideIssuer } from './access/outside-issuer.ts';
import { ownKey } from './access/own-keys.ts';
import { createPeople } from './access/people.ts';
import { createRateLimits, openSharedRateLimits } from './access/rate-limits.ts';
import { createRefreshTokens } from './access/refresh-token.ts';
import { openRequestClaims, type RequestClaims } from './access/request-claims.ts';
import { derivedKey, openSecrets, type Secrets } from './access/secrets.ts';
import { createSignIn } from './access/sign-in.ts';
import { createTenancies } from './access/tenancies.ts';
import { openReplays, type Replays } from './audit/replays.ts';
import { openSealingKey, type SealingKey } from './audit/seal.ts';
import { type Config, ConfigError } from './config.ts';
import { eventCodec } from './events/registry.ts';
import { createApp } from './http/app.ts';
import type { House, PartHealth } from './http/house.ts';
import { openMetrics } from './http/metrics.ts';
import { openDoor } from './http/server.ts';
import { openEmbeddedLog } from './log/embedded/embedded-log.ts';
import type { EventLog } from './log/log.ts';
import { meteredLog } from './log/metered-log.ts';
import { projections } from './projections/all.ts';
import { checkpointsAhead, openLogEnd } from './projections/engine/log-end.ts';
import { openProgress, type Progress } from './projections/engine/progress.ts';
import { type ProjectionRunner, startProjections } from './projections/engine/projection-runner.ts';
import { collectionSpec } from './projections/engine/runnable.ts';
import { openShelves } from './projections/engine/shelves.ts';
import type { BankProvider } from './providers/bank-provider.ts';
import { createProviders } from './providers/catalogue.ts';
import { openConnectorLogs } from './providers/connector-logs.ts';
import { openFolderOwners } from './providers/statement-files/folder-owners.ts';
import { openVault } from './providers/vault.ts';
import { openRuleBook } from './queries/rule-book.ts';
import { type Reactor, startReactor } from './reactors/reactor.ts';
import { runAutomation } from './reactors/run-automation.ts';
import { runReplays } from './reactors/run-replays.ts';
import { runSeals } from './reactors/run-seals.ts';
import { runRuleRuns } from './reactors/runs/run-rule-runs.ts';
import { runSchedules } from './reactors/schedules/run-schedules.ts';
import { runSetups } from './reactors/syncs/run-setups.ts';
import { runSyncs } from './reactors/syncs/run-syncs.ts';
import { createWorkPool } from './reactors/work-pool.ts';
import { defaultTiming, type Timing, type World } from './reactors/world.ts';
import { openEmbeddedReadStore } from './readstore/embedded/embedded-read-store.ts';
import type { ReadStore } from './readstore/read-store.ts';
import { type Clock, systemClock } from './shared/clock.ts';
import { newId as freshId, type NewId } from './shared/ids.ts';

export type ServiceOptions = {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly newId?: NewId;
  readonly random?: () => number;
  readonly timing?: Partial<Timing>;
  /** In tests: how a login that is slowed waits. */
  readonly wait?: (ms: number) => Promise<void>;
  /** In tests: banks besides those of the catalogue. */
  readonly banks?: readonly BankProvider[];
  /** In tests: every answer is held against its schema. */
  readonly checkAnswers?: boolean;
  /** In tests that share a log: the tenant this service's first start makes. */
  readonly firstTenantId?: string;
};

export type Service = {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Given by the very first start of an installation only. */
  readonly bootstrapped: BootstrapResult | null;
  readonly log: EventLog;
  readonly readStore: ReadStore;
  readonly secrets: Secrets;
  readonly house: House;
  readonly world: World;
  /**
   * Whether the tenant of this first start is found by those who use it within `withinMs`; false too when the service
   * is stopped meanwhile, and true in every later start.
   */
  readonly firstTenantBecomesVisible: (withinMs: number) => Promise<boolean>;
  /** The projections this instance runs; null in an instance that only answers requests. */
  readonly runner: ProjectionRunner | null;
  /** In order: no new request, those in flight answered while workers let go, projections, stores. */
  readonly stop: () => Promise<void>;
};

const CONTRACT_VERSION = '1.0.0';
const SERVICE_VERSION = '1.0.0';
const SETUPS_AT_ONCE = 16;
const SYNCS_AT_ONCE = 8;
const RUNS_AT_ONCE = 4;
const TURNS_AT_ONCE = 32;
const TOO_FAR_BEHIND_MS = 60_000;
const SWEEP_EVERY_MS = 60_000;

/** The adapters of outside stores are loaded only where one is named: a laptop never pays for their clients. */
async function openLog({ eventStoreUrl, dataDir }: Config): Promise<EventLog> {
  if (eventStoreUrl === null) return openEmbeddedLog({ file: join(dataDir, 'log.sqlite'), codec: eventCodec });
  const { openEventStoreDbLog } = await import('./log/eventstoredb/eventstoredb-log.ts');
  return readable('EVENTSTORE_URL', () => openEventStoreDbLog({ connectionString: eventStoreUrl, codec: eventCodec }));
}

async function openReadStore({ mongoDbUrl, dataDir }: Config): Promise<ReadStore> {
  if (mongoDbUrl === null) return openEmbeddedReadStore({ file: join(dataDir, 'read-models.sqlite') });
  const { openMongoDbReadStore } = await import('./readstore/mongodb/mongodb-read-store.ts');
  return readable('MONGODB_URL', () => openMongoDbReadStore({ url: mongoDbUrl }));
}

/** A connection string that its own client cannot read is a fault of the configuration. The client's words may repeat it, so they stay out. */
function readable<Store>(variable: string, open: () => Store): Store {
  try {
    return open();
  } catch {
    throw new ConfigError([
      `${variable}: cannot be read as a connection string${variable === 'MONGODB_URL' ? ' that names a database' : ''}`,
    ]);
  }
}

/**
 * Wires the house from a configuration and opens the door.
 * @throws whatever keeps it from starting: a store that is not there, a data folder in use, a port that is taken
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, logger, clock = systemClock, newId = freshId, random = Math.random, wait = sleep } = options;
  const timing: Timing = { ...defaultTiming, ...options.timing };
  const owner = ownerName(config);
  const stopping = new AbortController();
  const tokenKey = config.tokenKey ?? ownKey(config.dataDir, 'token');
  const encryptionKey = config.encryptionKey ?? ownKey(config.dataDir, 'encryption');
  const statementsDir = resolve(config.statementsDir);
  mkdirSync(statementsDir, { recursive: true });

  if (config.eventStoreUrl === null || config.mongoDbUrl === null) {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  }
  const metrics = config.metricsToken === null ? null : openMetrics(hash('sha256', config.metricsToken, 'buffer'));
  const opened = await openLog(config);
  const log = metrics === null ? opened : meteredLog(opened, metrics);
  const readStore = await openReadStore(config);
  for (const projection of projections) await readStore.ensureCollection(collectionSpec(projection));
  const shelves = await openShelves({ readStore, projections, clock });
  const secrets = await openSecrets(readStore, tokenKey);
  const loginNames = await openLoginNames(readStore, tokenKey);
  const loginAttempts = await openLoginAttempts(readStore, clock);
  const accessTokens = createAccessTokens({ tokenKey, clock });
  const refreshTokens = createRefreshTokens(tokenKey);
  const outsideIssuer = config.outsideIssuer === null ? null : createOutsideIssuer(config.outsideIssuer, { clock });
  const apiKeyUses = await openApiKeyUses(readStore);
  const vault = await openVault({ readStore, key: encryptionKey, clock, newId });
  const requestClaims = await openRequestClaims({
    readStore,
    encryptionKey,
    clock,
    alone: ownsItsStores(config),
  });
  const connectorLogs = await openConnectorLogs({ readStore, clock });
  const folderOwners = await openFolderOwners(readStore);
  const providers = createProviders({ statementsDir, folderOwners, others: options.banks });
  const ruleBook = openRuleBook(shelves);

  const runner = config.role === 'api' ? null : startProjections({ log, readStore, projections, clock, owner, logger });
  const progress: Progress = runner === null ? openProgress({ log, readStore, projections }) : progressOf(runner);
  const bootstrapped = await bootstrap({
    log,
    readStore,
    secrets,
    loginNames,
    clock,
    newId,
    owner,
    wishes: config.bootstrap,
    tenantId: options.firstTenantId,
  });

  const replays = await openReplays(readStore, clock);
  const sealingKey = openSealingKey(derivedKey(tokenKey, 'seal'));
  const world: World = {
    log,
    readStore,
    shelves,
    providers,
    vault,
    connectorLogs,
    clock,
    newId,
    random,
    logger,
    owner,
    timing,
  };
  const reactors =
    runner === null ? [] : startReactors(world, runner, ruleBook, requestClaims, { sealingKey, replays });
  const logEnd = openLogEnd(log);
  const ahead = () => checkpointsAhead({ logEnd, readStore, projections });
  const health = (): Promise<PartHealth[]> => healthOf({ log, readStore, ahead, runner, reactors });
  metrics?.watch(health);
  const house: House = {
    log,
    shelves,
    leases: readStore.leases,
    providers,
    vault,
    connectorLogs,
    ruleBook,
    clock,
    newId,
    authenticateKey: createAuthenticateKey({ log, shelves, secrets, uses: apiKeyUses, clock }),
    authenticateBearer: createAuthenticateBearer({ log, clock, accessTokens, loginNames, outsideIssuer }),
    signIn: createSignIn({
      log,
      clock,
      newId,
      secrets,
      loginNames,
      loginAttempts,
      accessTokens,
      refreshTokens,
      wait,
    }),
    people: createPeople({ shelves, leases: readStore.leases, secrets, loginNames }),
    tenancies: createTenancies({ leases: readStore.leases, secrets, loginNames }),
    apiKeys: createApiKeys(secrets),
    apiKeyUses,
    operatorTokenHash: config.operatorToken === null ? null : hash('sha256', config.operatorToken, 'buffer'),
    rateLimits: ownsItsStores(config)
      ? createRateLimits({ limit: config.requestsPerMinute, clock, fetchBlock: null })
      : await openSharedRateLimits({ limit: config.requestsPerMinute, clock, readStore, logger }),
    failedAttempts: createFailedAttempts({ perMinute: config.authFailuresPerMinute, clock }),
    trustedProxies: config.trustedProxies,
    isCompany: createIsCompany(shelves),
    requestClaims,
    replays,
    sealingKey,
    cursorKey: derivedKey(tokenKey, 'cursor'),
    waitFor: progress.waitFor,
    positionOf: progress.positionOf,
    nextChange: progress.nextChange,
    stopping: stopping.signal,
    health,
    version: { service: SERVICE_VERSION, contract: CONTRACT_VERSION, commit: config.commit },
    metrics,
    logger,
    checkAnswers: options.checkAnswers ?? false,
  };
  const app = createApp(house, config.role === 'worker' ? 'health' : 'all');
  const stopAll = async (): Promise<void> => {
    await Promise.all(reactors.map((reactor) => reactor.stop()));
    await runner?.stop();
    await apiKeyUses.settled();
    await readStore.close();
    await log.close();
  };
  const door = await openDoor({ fetch: app.fetch, host: config.host, port: config.port, house }).catch(
    async (error: unknown) => {
      await stopAll();
      throw error;
    },
  );

  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${door.port}`,
    bootstrapped,
    log,
    readStore,
    secrets,
    firstTenantBecomesVisible: async (withinMs) =>
      bootstrapped === null ||
      becomesVisible(bootstrapped, { shelves, isCompany: house.isCompany, withinMs, signal: stopping.signal }),
    house,
    world,
    runner,
    async stop() {
      stopping.abort();
      // Work behind lets go meanwhile: no request in flight waits for it any more.
      await Promise.all([door.close(), ...reactors.map((reactor) => reactor.stop())]);
      await stopAll();
    },
  };
}

/**
 * This instance's name on leases. Embedded stores belong to one process at a time, so there it stays the same over a restart and what a
 * killed process held is taken up at once; elsewhere it is unique, and leases have to run out.
 */
function ownerName(config: Config): string {
  if (ownsItsStores(config)) return 'embedded';
  return `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`;
}

/** An embedded store belongs to one process at a time. */
function ownsItsStores({ eventStoreUrl, mongoDbUrl }: Config): boolean {
  return eventStoreUrl === null || mongoDbUrl === null;
}

function progressOf(runner: ProjectionRunner): Progress {
  return {
    waitFor: runner.waitFor,
    positionOf: async (name) => runner.status().find((status) => status.name === name)?.position ?? '',
    nextChange: (timeoutMs) =>
      new Promise((done) => {
        const timer = setTimeout(finish, timeoutMs);
        const forget = runner.onApplied(finish);
        function finish(): void {
          clearTimeout(timer);
          forget();
          done();
        }
      }),
  };
}

function startReactors(
  world: World,
  runner: ProjectionRunner,
  ruleBook: ReturnType<typeof openRuleBook>,
  requestClaims: RequestClaims,
  { sealingKey, replays }: { sealingKey: SealingKey; replays: Replays },
): Reactor[] {
  const { logger, timing, clock } = world;
  const common = { logger, idleMs: timing.idleMs, now: clock.now };
  const setupPool = createWorkPool({ size: SETUPS_AT_ONCE, logger, onDone: () => setups.wake() });
  const setups = startReactor({ ...common, name: 'setups', pool: setupPool, turn: () => runSetups(world, setupPool) });
  const syncPool = createWorkPool({ size: SYNCS_AT_ONCE, logger, onDone: () => syncs.wake() });
  const syncs = startReactor({ ...common, name: 'syncs', pool: syncPool, turn: () => runSyncs(world, syncPool) });
  const automation = startReactor({
    ...common,
    name: 'automation',
    turn: () => runAutomation(world, ruleBook, runner.waitFor),
  });
  const sweeping = startReactor({
    ...common,
    name: 'idempotency keys',
    idleMs: SWEEP_EVERY_MS,
    turn: requestClaims.sweep,
  });
  const sweepingConnectorLogs = startReactor({
    ...common,
    name: 'connector logs',
    idleMs: SWEEP_EVERY_MS,
    turn: world.connectorLogs.sweep,
  });
  const sealing = { log: world.log, shelves: world.shelves, key: sealingKey, sealAfterMs: timing.sealAfterMs };
  const sealPool = createWorkPool({ size: 1, logger, onDone: () => sealer.wake() });
  const sealer = startReactor({
    ...common,
    name: 'seals',
    idleMs: timing.sealIdleMs,
    pool: sealPool,
    turn: async () => {
      sealPool.offer('all tenants', (signal) => runSeals(world, sealing, signal));
      return false;
    },
  });
  const replayPool = createWorkPool({ size: 1, logger, onDone: () => replaying.wake() });
  const replaying = startReactor({
    ...common,
    name: 'replays',
    pool: replayPool,
    turn: () => runReplays(world, { replays, waitFor: runner.waitFor }, replayPool),
  });
  const runPool = createWorkPool({ size: RUNS_AT_ONCE, logger, onDone: () => ruleRuns.wake() });
  const tools = { ruleBook, waitFor: runner.waitFor };
  const ruleRuns = startReactor({
    ...common,
    name: 'rule runs',
    pool: runPool,
    turn: () => runRuleRuns(world, tools, runPool),
  });
  const turnPool = createWorkPool({ size: TURNS_AT_ONCE, logger, onDone: () => schedules.wake() });
  const schedules = startReactor({
    ...common,
    name: 'schedules',
    pool: turnPool,
    turn: () => runSchedules(world, turnPool),
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

async function healthOf(house: {
  log: EventLog;
  readStore: ReadStore;
  /** Names of the projections whose checkpoint is ahead of the log. */
  ahead: () => Promise<string[]>;
  runner: ProjectionRunner | null;
  reactors: readonly Reactor[];
}): Promise<PartHealth[]> {
  const pings = [pinged('event store', house.log), pinged('read store', house.readStore)];
  const [parts, ahead] = await Promise.all([Promise.all(pings), house.ahead()]);
  for (const { name, state, lagEvents, lagMs, error } of house.runner?.status() ?? []) {
    if (ahead.includes(name)) continue;
    parts.push({
      name: `projection ${name}`,
      state,
      ok: state !== 'halted' && lagMs <= TOO_FAR_BEHIND_MS,
      lagEvents,
      lagMs,
      ...(error === null ? {} : { error: error.message }),
    });
  }
  for (const name of ahead) {
    parts.push({ name: `projection ${name}`, state: 'ahead', ok: false, error: 'its checkpoint is ahead of the log' });
  }
  for (const reactor of house.reactors) {
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
  } catch {
    return { name, state: 'down', ok: false };
  }
}
