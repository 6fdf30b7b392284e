import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { type Service, type ServiceOptions, startService } from '../../src/wiring/service.ts';
import { slowReadModels } from './slow-read-models.ts';
import { withDatabase } from './wire-database.ts';

export const KEY = 'test-key-0001';
export const SECRET = 'test-secret-0001-of-32-characters';
export const COMPANY = 'company-one';

/** Each service makes an admin, whose password would cost a sixth of a second of a processor. */
const CHEAP_PASSWORDS = { N: 2 ** 4, r: 8, p: 1 };

const BEHIND_MS = Number(process.env.READ_MODELS_BEHIND_MS ?? 0);

/** A wire run may have to read a log that others have written to. */
const VISIBLE_WITHIN_MS = 190_000;

export type Answer<Result = unknown> = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { status: boolean; code?: string; result: Result; meta?: Record<string, unknown> };
};

export type TestService = {
  readonly service: Service;
  readonly tenantId: string;
  readonly key: string;
  readonly secret: string;
  readonly dataDir: string;
  readonly statementsDir: string;
  readonly logLines: string[];
  /** Calls the API over the wire as the bootstrapped key, for the first company. */
  call<Result = never>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string | undefined>,
  ): Promise<Answer<Result>>;
  stop(): Promise<void>;
};

/**
 * The external servers of a wire run, with a separate tenant for each service and a separate database for the run; the
 * log may already hold events. Null in every other run.
 */
function wireEnvironment(): { readonly MONGODB_URL?: string; readonly [name: string]: string } | null {
  if (process.env.WIRE === undefined) return null;
  const key = Buffer.alloc(32, 1).toString('base64');
  const { EVENTSTORE_TEST_URL: log, MONGODB_TEST_URL: store } = process.env;
  return {
    ENCRYPTION_KEY: key,
    TOKEN_KEY: key,
    DEMO_BANK: 'on',
    // The tenants of a run share a database, where the command line could not tell their first admins apart by email.
    BOOTSTRAP_ADMIN_EMAIL: `${randomUUID()}@example.com`,
    ...(log === undefined ? {} : { EVENTSTORE_URL: log }),
    ...(store === undefined ? {} : { MONGODB_URL: withDatabase(store, `bank_${process.env.WIRE}`) }),
  };
}

/**
 * The first tenants of the services started here, by data folder. Ids depend on the tenant, and so does the order of
 * otherwise equal documents, on which no test may depend. A folder that was not created here is like a user's
 * installation, whose first tenant is always the same.
 */
const tenants = new Map<string, string>();

/**
 * The real service on a port of its own with an empty data folder; over the servers that EVENTSTORE_TEST_URL and
 * MONGODB_TEST_URL name where the wire tests set them (the database's name is made unique). READ_MODELS_BEHIND_MS in
 * the environment delays every read model by that much, to find tests that do not wait for what they read.
 * BACKGROUND_THREAD=off runs projections and reactors in the test's thread, as options that hold functions do.
 */
export async function startTestService(
  options: Partial<Omit<ServiceOptions, 'config'>> & {
    dataDir?: string;
    environment?: Record<string, string>;
    companyId?: string;
  } = {},
): Promise<TestService> {
  const { dataDir: given, environment = {}, ...rest } = options;
  const dataDir = given ?? mkdtempSync(join(tmpdir(), 'bank-'));
  const wire = wireEnvironment();
  const key = wire === null ? KEY : `key-${randomUUID()}`;
  const tenantId = given === undefined || wire !== null ? randomUUID() : tenants.get(dataDir);
  if (tenantId !== undefined) tenants.set(dataDir, tenantId);
  const read = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataDir,
    // What delays the read models of this thread does not delay those of another one.
    BACKGROUND_THREAD: BEHIND_MS > 0 ? 'off' : process.env.BACKGROUND_THREAD,
    BOOTSTRAP_COMPANY_ID: COMPANY,
    BOOTSTRAP_API_KEY: key,
    BOOTSTRAP_API_SECRET: SECRET,
    RATE_LIMIT_PER_MINUTE: '1000000',
    AUTH_FAILURES_PER_MINUTE: '1000000',
    ...wire,
    ...environment,
  });
  if (!read.ok) throw new Error(read.faults.join('\n'));
  const logLines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => logLines.push(line) });
  const service = await startService({
    config: read.config,
    logger,
    checkAnswers: true,
    passwordWork: CHEAP_PASSWORDS,
    ...(tenantId === undefined ? {} : { firstTenantId: tenantId }),
    ...rest,
    timing: { syncRetryMs: 1, idleMs: 200, ...rest.timing },
  });
  if (service.bootstrapped !== null) {
    if (!(await service.firstTenantBecomesVisible(VISIBLE_WITHIN_MS))) {
      throw new Error(
        `the first tenant did not become visible: ${JSON.stringify(await service.httpServices.health())} ${logLines.slice(-5)}`,
      );
    }
  }
  if (BEHIND_MS > 0) slowReadModels(service, BEHIND_MS);
  return {
    service,
    tenantId: service.bootstrapped?.tenantId ?? '',
    key,
    secret: SECRET,
    dataDir,
    statementsDir: read.config.statementsDir,
    logLines,
    async call(method, path, body, headers = {}) {
      const all = {
        'x-api-key': key,
        'x-api-secret': SECRET,
        'x-company-id': COMPANY,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      };
      const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
      const response = await fetch(`${service.url}${path}`, {
        method,
        headers: sent,
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: (await response.json()) as never };
    },
    async stop() {
      await service.stop();
      if (given === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A connection with accounts, ready to sync. */
export async function connectDemoBank(
  api: TestService,
  credentials: Record<string, unknown> = {},
  company = COMPANY,
): Promise<string> {
  const headers = { 'x-company-id': company };
  const opened = await api.call<{ id: string }>(
    'POST',
    '/banks/accounts',
    { bankCode: 'demo', title: 'Demo' },
    headers,
  );
  const { id } = opened.body.result;
  const seeded = { seed: randomUUID(), transactionsPerDay: 3, ...credentials };
  const put = await api.call('PUT', `/banks/accounts/${id}/credentials`, seeded, headers);
  if (put.status !== 200) throw new Error(JSON.stringify(put.body));
  await workEnded(api, id, 'setup', undefined, headers);
  return id;
}

/** A setup or sync of a connection that has ended. */
type EndedWork = Record<string, unknown> & { status: string; counts: Record<string, number> };

/** Starts the next sync and returns it once it has ended. */
export function syncAndWait(
  api: TestService,
  id: string,
  body: Record<string, unknown> = {},
  company = COMPANY,
): Promise<EndedWork> {
  return workEnded(api, id, 'sync', body, { 'x-company-id': company });
}

/**
 * Asks for it and returns it once it has ended, also where a busy machine takes longer than the request may wait. What
 * it left behind can be read then.
 */
export async function workEnded(
  api: TestService,
  id: string,
  what: 'setup' | 'sync',
  body?: Record<string, unknown>,
  headers: Record<string, string | undefined> = {},
): Promise<EndedWork> {
  const asked = await api.call('POST', `/banks/accounts/${id}/${what}`, body, { ...headers, prefer: 'wait=30' });
  const location = asked.headers.get('location');
  if (asked.status >= 300 || location === null) throw new Error(JSON.stringify(asked.body));
  const ended = await eventually(
    async () => (await api.call<EndedWork>('GET', location, undefined, headers)).body.result,
    ({ status }) => status !== 'queued' && status !== 'running',
  );
  if (asked.status === 202) {
    const { httpServices: services, log } = api.service;
    await services.waitFor(['connections', 'transactions'], await log.head(), VISIBLE_WITHIN_MS);
  }
  return ended;
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;

/**
 * Repeats the request until the answer is as wanted; fails with the last one when the time is up. The pauses grow, so
 * that a slow service is not slowed down further.
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  wanted: (answer: T) => boolean,
  withinMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.2)) {
    const answer = await ask();
    if (isAsWanted(answer, wanted)) return answer;
    if (Date.now() > deadline) throw new Error(`did not happen in time: ${JSON.stringify(answer).slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Waits until automation has nothing left to do and its results are in the other read models too. */
export async function automationDone(api: TestService): Promise<void> {
  await eventually(
    async () => {
      const pending = await api.call<{ items: unknown[] }>(
        'GET',
        '/banks/transactions?automationStatus=pending&limit=1',
      );
      return pending.body.result.items.length;
    },
    (left) => left === 0,
    VISIBLE_WITHIN_MS,
  );
  const { httpServices: services, log } = api.service;
  await services.waitFor(['transactions', 'assignments'], await log.head(), VISIBLE_WITHIN_MS);
}

export type Run = {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly candidateCount?: number;
  readonly processedCount: number;
  readonly matchedCount: number;
  readonly attachedCount: number;
  readonly revokedCount: number;
  readonly sampleTransactionIds: readonly string[];
};

/** The run, once it has ended and its results are in the other read models too. */
export async function runEnded(api: TestService, id: string, withinMs?: number): Promise<Run> {
  const run = await eventually(
    async () => (await api.call<Run>('GET', `/banks/rule-runs/${id}`)).body.result,
    (one) => ['completed', 'dead', 'cancelled'].includes(one?.status),
    withinMs,
  );
  const { httpServices: services, log } = api.service;
  await services.waitFor(
    ['transactions', 'assignments', 'run-matches', 'rule-runs'],
    await log.head(),
    VISIBLE_WITHIN_MS,
  );
  return run;
}

/** A failure, as of what no read model shows yet, lacks what is looked at. */
function isAsWanted<T>(answer: T, wanted: (answer: T) => boolean): boolean {
  try {
    return wanted(answer);
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
