import { pino } from 'pino';
import { type Config, readConfig } from '../../src/config.ts';
import { eventCodec } from '../../src/events/registry.ts';
import { LogUnavailable } from '../../src/log/log.ts';
import type { BankProvider } from '../../src/providers/bank-provider.ts';
import { ReadStoreUnavailable } from '../../src/readstore/read-store.ts';
import { repeatableIds } from '../../src/shared/ids.ts';
import { type Service, startService } from '../../src/wiring/service.ts';
import { faultyLink, type StoreFaults } from './faulty-link.ts';
import type { Actor, Scheduler } from './scheduler.ts';
import { type LogDisk, openSimulatedLog } from './simulated-log.ts';
import { openSimulatedReadStore, type StoreDisk } from './simulated-read-store.ts';

export const API_KEY = 'simulated-key';
export const API_SECRET = 'simulated-secret-of-32-characters';
export const COMPANY = 'company-one';
export const OPERATOR_TOKEN = 'simulated-operator-token-of-over-32-characters';

/** One process of the service, from its start to its crash or stop. */
export type Instance = {
  readonly actor: Actor;
  readonly role: Role;
  /** Undefined until it accepts requests. */
  readonly fetch: () => ((request: Request) => Response | Promise<Response>) | undefined;
  readonly service: () => Service | undefined;
  /** Resolves when it has crashed. */
  readonly crashed: Promise<void>;
  readonly crash: (reason: string) => void;
  /** Stops in order; resolves when it has stopped. */
  readonly stop: () => Promise<void>;
};

export type InstanceOptions = {
  readonly name: string;
  readonly role: Role;
  readonly scheduler: Scheduler;
  readonly logDisk: LogDisk;
  readonly storeDisk: StoreDisk;
  readonly banks: readonly BankProvider[];
  /** Makes an independent sequence of numbers in [0, 1) of each name. */
  readonly randomOf: (name: string) => () => number;
  readonly faults: () => { readonly log: StoreFaults; readonly readStore: StoreFaults };
  readonly onFault: (kind: string, call: string, actor: Actor) => void;
  /** Called at each step of a call of a store; may crash or freeze the instance. */
  readonly onStep: (instance: Instance, call: string) => void;
  readonly onTrace: (line: string) => void;
};

const key = Buffer.alloc(32, 1).toString('base64');
const environment = {
  DATA_DIR: '/tmp/simulated',
  EVENTSTORE_URL: 'esdb://simulated',
  MONGODB_URL: 'mongodb://simulated/simulated',
  DEMO_BANK: 'off',
  ENCRYPTION_KEY: key,
  TOKEN_KEY: key,
  BOOTSTRAP_COMPANY_ID: COMPANY,
  BOOTSTRAP_API_KEY: API_KEY,
  BOOTSTRAP_API_SECRET: API_SECRET,
  BOOTSTRAP_ADMIN_PASSWORD: 'simulated-password',
  RATE_LIMIT_PER_MINUTE: '1000000',
  AUTH_FAILURES_PER_MINUTE: '1000000',
  OPERATOR_TOKEN,
};

export type Role = Config['role'];

function configOf(role: Role): Config {
  const read = readConfig({ ...environment, ROLE: role });
  if (!read.ok) throw new Error(read.faults.join('\n'));
  return read.config;
}
const configs = { all: configOf('all'), api: configOf('api'), worker: configOf('worker') };

/** So often that a life has several seals. */
const SEALING = { sealAfterMs: 12_000, sealIdleMs: 6_000 };
/** Pages of two candidates: a small history has runs of several pages. */
const RUN_PAGE_SIZE = 2;

/** Starts an instance on the disks; it starts again by itself if its start fails, as a supervisor would do it. */
export function launchInstance(options: InstanceOptions): Instance {
  const { name, scheduler, randomOf, onTrace } = options;
  const random = randomOf(`${name} itself`);
  const actor: Actor = { name, alive: true, frozenUntilMs: 0, clockOffsetMs: 0, random };
  const clock = { now: () => Math.floor(scheduler.nowMs() + actor.clockOffsetMs) };
  const crashed = Promise.withResolvers<void>();
  let handler: ((request: Request) => Response | Promise<Response>) | undefined;
  let service: Service | undefined;

  const instance: Instance = {
    actor,
    role: options.role,
    fetch: () => handler,
    service: () => service,
    crashed: crashed.promise,
    crash(reason) {
      if (!actor.alive) return;
      onTrace(`${name} crashes: ${reason}`);
      actor.alive = false;
      crashed.resolve();
    },
    stop: () => new Promise((resolve, reject) => scheduler.after(0, actor, () => void end().then(resolve, reject))),
  };

  async function end(): Promise<void> {
    await service?.stop();
    actor.alive = false;
  }

  const linkTo = (store: 'log' | 'read store', faults: () => StoreFaults, unavailable: () => Error) =>
    faultyLink({
      store,
      scheduler,
      actor,
      random: randomOf(`${name} ${store}`),
      faults,
      unavailable,
      onFault: (kind, call) => options.onFault(kind, call, actor),
      onStep: (call) => options.onStep(instance, call),
    });

  let made = 0;
  const newId = (): string => {
    made += 1;
    return repeatableIds(`${name} ${made} ${random()}`, clock.now())();
  };

  async function start(): Promise<void> {
    const log = openSimulatedLog({
      disk: options.logDisk,
      codec: eventCodec,
      clock: { now: scheduler.nowMs },
      // The same in all instances of a life.
      checksChanges: randomOf('log checks changes')() < 0.5,
      link: linkTo(
        'log',
        () => options.faults().log,
        () => new LogUnavailable('simulated'),
      ),
    });
    const readStore = openSimulatedReadStore({
      disk: options.storeDisk,
      link: linkTo(
        'read store',
        () => options.faults().readStore,
        () => new ReadStoreUnavailable('simulated'),
      ),
    });
    const logger = pino(
      { level: 'warn', base: null, timestamp: false, serializers: { err: (error) => String(error) } },
      {
        write: (line: string) => onTrace(`${name} logs ${line.trim()}`),
      },
    );
    service = await startService({
      config: configs[options.role],
      logger,
      clock,
      newId,
      random,
      timing: { syncRetryMs: 200, idleMs: 8_000, providerTimeoutMs: 5_000, ...SEALING },
      banks: options.banks,
      stores: { log, readStore, owner: name },
      startServer: async ({ fetch }) => {
        handler = (request) => fetch(request, {});
        return { port: 0, close: async (onStopped) => onStopped?.() };
      },
      runPageSize: RUN_PAGE_SIZE,
    });
  }

  scheduler.after(0, actor, () => {
    start().catch((error: unknown) => instance.crash(`its start failed: ${error}`));
  });
  return instance;
}
