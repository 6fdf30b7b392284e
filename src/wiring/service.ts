import { createSecretKey, hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import { readConsole } from '../http/console/read-console.ts';
import { createApp } from '../http/core/app.ts';
import type { HttpServices } from '../http/core/http-services.ts';
import { openMetrics } from '../http/core/metrics.ts';
import type { PartHealth } from '../http/core/part-health.ts';
import { startHttpServer } from '../http/core/server.ts';
import { CONTRACT_VERSION } from '../http/reference/openapi.ts';
import { type BootstrapResult, bootstrap } from '../identity/bootstrap.ts';
import { becomesVisible } from '../identity/first-start.ts';
import { ownKey } from '../identity/own-keys.ts';
import type { PasswordWork, Secrets } from '../identity/secrets.ts';
import type { EventLog } from '../log/log.ts';
import { type Heartbeat, watchLog } from '../log/log-link.ts';
import { meteredLog } from '../log/metered-log.ts';
import { projections } from '../projections/all.ts';
import { checkpointsAhead, openLogEnd } from '../projections/engine/log-end.ts';
import { type ProjectionRunner, startProjections } from '../projections/engine/projection-runner.ts';
import { collectionSpec } from '../projections/engine/runnable.ts';
import { openSettledReads } from '../projections/engine/settled-reads.ts';
import { openWholeness } from '../projections/engine/wholeness.ts';
import type { BankProvider } from '../providers/bank-provider.ts';
import type { Reactor } from '../reactors/reactor.ts';
import { defaultTiming, type ReactorServices, type Timing } from '../reactors/reactor-services.ts';
import type { ReadStore } from '../readstore/read-store.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { createCounter } from '../shared/counter.ts';
import { derivedKey } from '../shared/derived-key.ts';
import { newId as freshId, type NewId } from '../shared/ids.ts';
import { type StartTimer, systemTimer } from '../shared/timer.ts';
import { createCostlyRequests } from '../traffic/costly-requests.ts';
import { createHeldRefusals } from '../traffic/held-refusals.ts';
import { openAccess } from './access.ts';
import { type Background, backgroundElsewhere, backgroundHere } from './background.ts';
import { openBackgroundThread } from './background-thread.ts';
import { openChangeNotices } from './change-notices.ts';
import { prepareDataFolder } from './data-folder.ts';
import { healthOf } from './health.ts';
import { hasBackgroundThread, type LoadingThread, loadBackgroundThread } from './load-background-thread.ts';
import { openParts } from './parts.ts';
import { watchPreparation } from './preparation.ts';
import {
  newStoreThreads,
  openLog,
  openReadStore,
  ownerName,
  ownsItsStores,
  readModelsFileOf,
  spoolFolderOf,
} from './stores.ts';
import { openTenantLimits } from './tenant-limits.ts';
import { limitThreadsByThemselves } from './thread-heaps.ts';
import { openTransactionFiles } from './transaction-files.ts';
import { openWebhooks } from './webhooks.ts';
import { startWork } from './work.ts';

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
  /** In tests: what the hash of a password costs. */
  readonly passwordWork?: PasswordWork;
  /** In tests: how an answer waits for its reader, and a refusal for its time. */
  readonly startTimer?: StartTimer;
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
  /** The thread of projections and reactors, if it is loading already; unless given, it is started here. */
  readonly backgroundThread?: LoadingThread | null;
  /**
   * Called when the thread of projections and reactors has ended by itself: the process must then end too, since what
   * the thread had begun is not continued. Unless given, the error is thrown as an uncaught one.
   */
  readonly onBackgroundLost?: (error: Error) => void;
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
  /** The projections that run in this thread; null where another thread or another instance runs them. */
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
  const { startTimer = systemTimer } = options;
  const timing: Timing = { ...defaultTiming, ...options.timing };
  const owner = options.stores?.owner ?? ownerName(config);
  const stopping = new AbortController();
  const ownsStores = ownsItsStores(config);
  if (ownsStores) prepareDataFolder(config, logger);
  const tokenKey = config.tokenKey ?? ownKey(config.dataDir, 'token');
  const encryptionKey = config.encryptionKey ?? ownKey(config.dataDir, 'encryption');
  mkdirSync(resolve(config.statementsDir), { recursive: true });
  const metrics = config.metricsToken === null ? null : openMetrics(hash('sha256', config.metricsToken, 'buffer'));
  if (options.stores === undefined) limitThreadsByThemselves();
  const threads = usesBackgroundThread(options) ? newStoreThreads() : null;
  const opened = options.stores?.log ?? (await openLog(config, threads ?? undefined));
  const link = watchLog(metrics === null ? opened : meteredLog(opened, metrics), {
    ...(options.heartbeat === undefined ? {} : { heartbeat: options.heartbeat }),
  });
  const { log, readLog } = link;
  const readStore = options.stores?.readStore ?? (await openReadStore(config, logger, threads ?? undefined));
  options.onReadStore?.(readStore);
  for (const projection of projections) {
    await readStore.ensureCollection(collectionSpec(projection), { indexes: 'later' });
  }
  // Its code loads meanwhile.
  const thread =
    threads === null
      ? null
      : openBackgroundThread({
          loading: options.backgroundThread ?? loadBackgroundThread(),
          start: { config, tokenKey, encryptionKey, owner, timing, logLevel: logger.level, memory: threads.memory },
          projections,
          logger,
          meter: metrics,
          onLost: options.onBackgroundLost ?? throwUncaught,
        });
  const parts = await openParts({
    config,
    tokenKey,
    encryptionKey,
    log,
    readStore,
    clock,
    newId,
    random,
    logger,
    owner,
    timing,
    spoolFolder: spoolFolderOf(config, thread === null ? 'background' : 'requests'),
    banks: options.banks ?? [],
  });
  const { services: reactorServices, readModels, ruleBook, replays, sealingKey, loopShare } = parts;
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
    passwordWork: options.passwordWork,
  });
  const { secrets, loginNames } = access;
  const hadSecrets = !(await secrets.areEmpty());

  const runner =
    config.role === 'api' || thread !== null
      ? null
      : startProjections({ log, readStore, projections, clock, owner, logger });
  const reactors: Reactor[] = [];
  const background: Background =
    thread ??
    (runner === null
      ? await backgroundElsewhere({ log: readLog, readStore, projections, clock })
      : backgroundHere(runner, reactors));
  const { progress, isWholeHere, appliedHere } = background;
  const { partial } = await openWholeness({ readStore, projections, isWholeHere });
  const settledReads = openSettledReads({ log: readLog, readStore, readModels, appliedHere });
  const webhooks = await openWebhooks(reactorServices, config, progress);
  const logEnd = openLogEnd(readLog);
  const ahead = () => checkpointsAhead({ logEnd, readStore, projections });
  const preparation = watchPreparation(progress);
  const { isPrepared } = preparation;
  const health = (): Promise<PartHealth[]> =>
    healthOf({ log: readLog, readStore, ahead, background: background.health, partial, isPrepared });
  metrics?.watch(health);
  const costlyRequests = createCostlyRequests({
    requests: config.costlyRequestsAtOnce,
    exports: config.exportsAtOnce,
    share: loopShare,
  });
  const readModelsFile = hasReadModelsFile(options) ? readModelsFileOf(config) : null;
  const files = openTransactionFiles({ readModelsFile, log: readLog, readModels, costlyRequests });
  const consoleFiles = readConsole(options.consoleDir ?? CONSOLE);
  if (consoleFiles === null) logger.warn('the console is not built, so there is none: npm run console:build');
  const httpServices: HttpServices = {
    log: readLog,
    commandLog: log,
    logDown: link.down,
    readModels,
    leases: readStore.leases,
    transactionFiles: files.transactionFiles,
    providers: reactorServices.providers,
    vault: reactorServices.vault,
    connectorLogs: reactorServices.connectorLogs,
    ruleBook,
    clock,
    newId,
    ...access.http,
    replays: {
      ...replays,
      async request(wanted) {
        const replay = await replays.request(wanted);
        background.wake('replays');
        return replay;
      },
    },
    costlyRequests,
    tenantLimits: openTenantLimits({
      limits: config.tenantLimits,
      log,
      readModels,
      replays,
      waitFor: progress.waitFor,
      clock,
    }),
    heldRefusals: createHeldRefusals(startTimer),
    stalling: { afterMs: config.stalledSeconds * 1_000, startTimer },
    sealingKey,
    cursorKey: createSecretKey(derivedKey(tokenKey, 'cursor')),
    waitFor: progress.waitFor,
    partial,
    positionOf: progress.positionOf,
    nextChange: progress.nextChange,
    // While the log is away, what it is known to hold is enough to read on.
    logReaches: async (position) => (await logEnd.within(position)) === position,
    settledReads,
    webhooks: webhooks.http,
    tenantChanges: openChangeNotices({ log, progress, background: ownsStores ? background : null }),
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
    await background.stop();
    webhooks.close();
    await parts.largeFiles.close();
    await access.http.apiKeyUses.settled();
    await files.close();
    await readStore.close();
    await link.stop();
    await log.close();
  };
  await beginWork().catch(async (error: unknown) => {
    await stopAll();
    throw error;
  });
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
      await Promise.all([closed, background.stopReactors()]);
      await stopAll();
    },
  };

  async function beginWork(): Promise<void> {
    await thread?.begin();
    if (runner === null) return;
    const work = startWork({
      parts,
      runner,
      webhooks,
      settledReads,
      requestClaims: access.http.requestClaims,
      ...(options.runPageSize === undefined ? {} : { runPageSize: options.runPageSize }),
    });
    reactors.push(...work);
  }
}

/** What was given in this thread, as functions are, cannot be used by another one. */
function usesBackgroundThread({ config, clock, newId, random, banks, stores, ...options }: ServiceOptions): boolean {
  const given = [clock, newId, random, banks, stores, options.onReadStore, options.heartbeat, options.runPageSize];
  return hasBackgroundThread(config) && given.every((option) => option === undefined);
}

/** Read models that were given or changed in this thread cannot be read by another one. */
function hasReadModelsFile({ stores, onReadStore }: ServiceOptions): boolean {
  return stores === undefined && onReadStore === undefined;
}

function throwUncaught(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}
