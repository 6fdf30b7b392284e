import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import { openReplays } from '../audit/replays.ts';
import { openSealingKey } from '../audit/seal.ts';
import type { Config } from '../config.ts';
import { readConsole } from '../http/console/read-console.ts';
import { createApp } from '../http/core/app.ts';
import type { HttpServices } from '../http/core/http-services.ts';
import { openMetrics } from '../http/core/metrics.ts';
import type { PartHealth } from '../http/core/part-health.ts';
import { startHttpServer } from '../http/core/server.ts';
import { type Stalling, systemTimer } from '../http/core/watched-stream.ts';
import { CONTRACT_VERSION } from '../http/reference/openapi.ts';
import { type BootstrapResult, bootstrap } from '../identity/bootstrap.ts';
import { becomesVisible } from '../identity/first-start.ts';
import { ownKey } from '../identity/own-keys.ts';
import type { Secrets } from '../identity/secrets.ts';
import type { EventLog } from '../log/log.ts';
import { type Heartbeat, watchLog } from '../log/log-link.ts';
import { meteredLog } from '../log/metered-log.ts';
import { projections } from '../projections/all.ts';
import { checkpointsAhead, openLogEnd } from '../projections/engine/log-end.ts';
import { openProgress, type Progress } from '../projections/engine/progress.ts';
import { type ProjectionRunner, startProjections } from '../projections/engine/projection-runner.ts';
import { openReadModels } from '../projections/engine/read-models.ts';
import { collectionSpec } from '../projections/engine/runnable.ts';
import { openSettledReads } from '../projections/engine/settled-reads.ts';
import { openStoredStatus } from '../projections/engine/stored-status.ts';
import { openWholeness } from '../projections/engine/wholeness.ts';
import { tenants } from '../projections/tenants.ts';
import type { BankProvider } from '../providers/bank-provider.ts';
import { createProviders } from '../providers/catalogue.ts';
import { openConnectorLogs } from '../providers/connector-logs.ts';
import { openFolderOwners } from '../providers/statement-files/folder-owners.ts';
import { openLargeFiles } from '../providers/statement-files/large-files.ts';
import { openVault } from '../providers/vault.ts';
import { openRuleBook } from '../queries/rule-book.ts';
import { defaultTiming, type ReactorServices, type Timing } from '../reactors/reactor-services.ts';
import type { ReadStore } from '../readstore/read-store.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { createCounter } from '../shared/counter.ts';
import { derivedKey } from '../shared/derived-key.ts';
import { newId as freshId, type NewId } from '../shared/ids.ts';
import { createCostlyRequests } from '../traffic/costly-requests.ts';
import { createLoopShare } from '../traffic/loop-share.ts';
import { openAccess } from './access.ts';
import { openChangeNotices } from './change-notices.ts';
import { prepareDataFolder } from './data-folder.ts';
import { healthOf } from './health.ts';
import { watchPreparation } from './preparation.ts';
import { progressOf } from './progress.ts';
import { startReactors } from './reactors.ts';
import { openLog, openReadStore, ownerName, ownsItsStores } from './stores.ts';
import { openTenantLimits } from './tenant-limits.ts';
import { openWebhooks } from './webhooks.ts';

const STATE_LOST =
  'the log has tenants, but no API secret or password is stored: restore the state (state.sqlite, or the MongoDB ' +
  'database) from a backup, or run `bank admin reset`';

/** Where the build leaves the console. */
const CONSOLE = join(import.meta.dirname, '../../console/dist');

export type ServiceOptions = {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly newId?: NewId;
  readonly random?: () => number;
  readonly timing?: Partial<Timing>;
  /** In tests: how a login that is slowed waits. */
  readonly wait?: (ms: number) => Promise<void>;
  /** In tests: how an answer waits for its reader. */
  readonly startTimer?: Stalling['startTimer'];
  /** In tests: what is to be changed in the read store before anything uses it. */
  readonly onReadStore?: (readStore: ReadStore) => void;
  /** In tests: how soon a log that does not answer is noticed. */
  readonly heartbeat?: Partial<Heartbeat>;
  /** In tests: banks besides those of the catalogue. */
  readonly banks?: readonly BankProvider[];
  /** In tests: every answer is checked against its schema. */
  readonly checkAnswers?: boolean;
  /** In tests: the folder of another console than the one built here. */
  readonly consoleDir?: string;
  /** In tests that share a log: the tenant this service's first start makes. */
  readonly firstTenantId?: string;
  /** In the simulation: stores besides those the configuration names, and this instance's name on leases. */
  readonly stores?: { readonly log: EventLog; readonly readStore: ReadStore; readonly owner: string };
  /** In the simulation: receives the handler of requests in place of a server that listens. */
  readonly startServer?: typeof startHttpServer;
  /** In the simulation: how many candidates a page of a rule run has. */
  readonly runPageSize?: number;
};

export type Service = {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Given by the very first start of an installation only. */
  readonly bootstrapped: BootstrapResult | null;
  readonly log: EventLog;
  readonly readStore: ReadStore;
  readonly secrets: Secrets;
  readonly httpServices: HttpServices;
  readonly reactorServices: ReactorServices;
  /**
   * Whether requests find the tenant of this first start within `withinMs`; false also when the service is stopped
   * meanwhile, and true in every later start.
   */
  readonly firstTenantBecomesVisible: (withinMs: number) => Promise<boolean>;
  /** The projections this instance runs; null in an instance that only answers requests. */
  readonly runner: ProjectionRunner | null;
  /** In order: no new request, those in flight answered while workers let go, projections, stores. */
  readonly stop: () => Promise<void>;
};

/**
 * Wires the service from a configuration and starts listening.
 * @throws whatever prevents the start: a store that does not answer, a data folder in use, a port that is taken
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, logger, clock = systemClock, newId = freshId, random = Math.random, wait = sleep } = options;
  const timing: Timing = { ...defaultTiming, ...options.timing };
  const owner = options.stores?.owner ?? ownerName(config);
  const stopping = new AbortController();
  const ownsStores = ownsItsStores(config);
  if (ownsStores) prepareDataFolder(config, logger);
  const tokenKey = config.tokenKey ?? ownKey(config.dataDir, 'token');
  const encryptionKey = config.encryptionKey ?? ownKey(config.dataDir, 'encryption');
  const statementsDir = resolve(config.statementsDir);
  mkdirSync(statementsDir, { recursive: true });
  const metrics = config.metricsToken === null ? null : openMetrics(hash('sha256', config.metricsToken, 'buffer'));
  const opened = options.stores?.log ?? (await openLog(config));
  const link = watchLog(metrics === null ? opened : meteredLog(opened, metrics), {
    ...(options.heartbeat === undefined ? {} : { heartbeat: options.heartbeat }),
  });
  const { log, readLog } = link;
  const readStore = options.stores?.readStore ?? (await openReadStore(config, logger));
  options.onReadStore?.(readStore);
  for (const projection of projections) {
    await readStore.ensureCollection(collectionSpec(projection), { indexes: 'later' });
  }
  const readModels = await openReadModels({ readStore, projections, clock });
  const access = await openAccess({
    config,
    link,
    readStore,
    readModels,
    tokenKey,
    encryptionKey,
    clock,
    newId,
    logger,
    wait,
  });
  const { secrets, loginNames } = access;
  const hadSecrets = !(await secrets.areEmpty());
  const vault = await openVault({ readStore, key: encryptionKey, clock, newId });
  const connectorLogs = await openConnectorLogs({ readStore, clock });
  const hasOneTenant = async () => (await readModels.of(tenants).count([], 2)) < 2;
  const folderOwners = await openFolderOwners(readStore, hasOneTenant);
  const largeFiles = openLargeFiles({ folder: ownsStores ? join(config.dataDir, 'statement-spool') : null });
  const providers = createProviders({
    demoBank: config.demoBank,
    statementsDir,
    folderOwners,
    largeFiles,
    others: options.banks ?? [],
  });
  const ruleBook = openRuleBook(readModels);

  const runner = config.role === 'api' ? null : startProjections({ log, readStore, projections, clock, owner, logger });
  const progress: Progress =
    runner === null ? openProgress({ log: readLog, readStore, projections }) : progressOf(runner);
  const isWholeHere = (name: string) => runner?.isWhole(name) ?? false;
  const { partial } = await openWholeness({ readStore, projections, isWholeHere });
  const loopShare = createLoopShare();
  const replays = await openReplays(readStore, clock);
  const sealingKey = openSealingKey(derivedKey(tokenKey, 'seal'));
  const reactorServices: ReactorServices = {
    log,
    readStore,
    readModels,
    providers,
    vault,
    connectorLogs,
    clock,
    newId,
    random,
    logger,
    owner,
    timing,
    pace: loopShare.piece,
  };
  const settledReads = openSettledReads({
    log: readLog,
    readStore,
    readModels,
    appliedHere: (name, version) => runner?.appliedHere(name, version),
  });
  const webhooks = await openWebhooks(reactorServices, config, progress);
  const reactors =
    runner === null
      ? []
      : startReactors(reactorServices, runner, ruleBook, access.http.requestClaims, {
          sealingKey,
          replays,
          ...(options.runPageSize === undefined ? {} : { runPageSize: options.runPageSize }),
        }).concat(webhooks.start(runner, settledReads));
  const logEnd = openLogEnd(readLog);
  const ahead = () => checkpointsAhead({ logEnd, readStore, projections });
  const preparation = watchPreparation(progress);
  const { isPrepared } = preparation;
  const statuses =
    runner === null
      ? await openStoredStatus({ log: readLog, readStore, projections, clock })
      : async () => runner.status().map((status) => ({ ...status, error: status.error?.message ?? null }));
  const health = (): Promise<PartHealth[]> =>
    healthOf({ log: readLog, readStore, ahead, projections: statuses, partial, reactors, isPrepared });
  metrics?.watch(health);
  const consoleFiles = readConsole(options.consoleDir ?? CONSOLE);
  if (consoleFiles === null) logger.warn('the console is not built, so there is none: npm run console:build');
  const httpServices: HttpServices = {
    log: readLog,
    commandLog: log,
    logDown: link.down,
    readModels,
    leases: readStore.leases,
    providers,
    vault,
    connectorLogs,
    ruleBook,
    clock,
    newId,
    ...access.http,
    replays,
    costlyRequests: createCostlyRequests({
      requests: config.costlyRequestsAtOnce,
      exports: config.exportsAtOnce,
      share: loopShare,
    }),
    tenantLimits: openTenantLimits({
      limits: config.tenantLimits,
      log,
      readModels,
      replays,
      waitFor: progress.waitFor,
      clock,
    }),
    stalling: { afterMs: config.stalledSeconds * 1_000, startTimer: options.startTimer ?? systemTimer },
    sealingKey,
    cursorKey: derivedKey(tokenKey, 'cursor'),
    waitFor: progress.waitFor,
    partial,
    positionOf: progress.positionOf,
    nextChange: progress.nextChange,
    // While the log is away, what it is known to hold is enough to read on.
    logReaches: async (position) => (await logEnd.within(position)) === position,
    settledReads,
    webhooks: webhooks.http,
    tenantChanges: openChangeNotices({ log, progress, runner: ownsStores ? runner : null }),
    heldRequests: createCounter(config.heldRequests),
    stopping: stopping.signal,
    health,
    version: { service: packageJson.version, contract: CONTRACT_VERSION, commit: config.commit },
    console: consoleFiles,
    metrics,
    logger,
    checkAnswers: options.checkAnswers ?? false,
  };
  const app = createApp(httpServices, config.role === 'worker' ? 'health' : 'all');
  const stopAll = async (): Promise<void> => {
    await Promise.all(reactors.map((reactor) => reactor.stop()));
    webhooks.close();
    await largeFiles.close();
    await runner?.stop();
    await access.http.apiKeyUses.settled();
    await readStore.close();
    await link.stop();
    await log.close();
  };
  const server = await (options.startServer ?? startHttpServer)({
    fetch: app.fetch,
    host: config.host,
    port: config.port,
    services: httpServices,
    // Behind proxies every connection comes from one of theirs.
    limits: config.trustedProxies === 0 ? {} : { connectionsPerNetwork: Number.POSITIVE_INFINITY },
  }).catch(async (error: unknown) => {
    await stopAll();
    throw error;
  });
  // After the port is taken: a start that fails before it listens must not use up the credentials it would print.
  const bootstrapped = await bootstrap({
    log,
    readStore,
    secrets,
    loginNames,
    clock,
    newId,
    owner,
    settings: config.bootstrap,
    ...(options.firstTenantId === undefined ? {} : { tenantId: options.firstTenantId }),
  }).catch(async (error: unknown) => {
    await server.close(() => stopping.abort());
    await stopAll();
    throw error;
  });

  preparation.made(bootstrapped?.position ?? null);
  if (bootstrapped === null && !hadSecrets) logger.warn(STATE_LOST);

  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${server.port}`,
    bootstrapped,
    log,
    readStore,
    secrets,
    firstTenantBecomesVisible: async (withinMs) =>
      bootstrapped === null ||
      becomesVisible(bootstrapped, {
        readModels,
        isCompany: httpServices.isCompany,
        partial: () => partial(projections.map(({ name }) => name)),
        withinMs,
        signal: stopping.signal,
      }),
    httpServices,
    reactorServices,
    runner,
    async stop() {
      // Requests that wait for work are answered only then, so that their answers close the connection.
      const closed = server.close(() => stopping.abort());
      await Promise.all([closed, ...reactors.map((reactor) => reactor.stop())]);
      await stopAll();
    },
  };
}
