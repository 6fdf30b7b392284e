import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { BankClient, type BankConnection } from '../../sdk/src/index.ts';
import { createCompany } from '../../src/commands/create-tenancy.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { companies } from '../../src/projections/tenancy.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { isoTime, systemClock } from '../../src/shared/clock.ts';
import { documentId, newId } from '../../src/shared/ids.ts';
import { type Service, startService } from '../../src/wiring/service.ts';
import { openProgress } from '../progress.ts';
import { EXIT_CONFIG, say, sayError } from '../say.ts';
import { connect, deliverStatements, demoBanks, expectedTransactions, syncAll } from './demo-banks.ts';
import { type DemoKeys, forgetDemoKeys, makeDemoKeys, readDemoKeys } from './demo-keys.ts';
import { demoPort } from './demo-port.ts';
import { BERLIN, demoRules, ISTANBUL } from './demo-rules.ts';
import { summaryLines } from './summary.ts';

const DEMO_TRANSACTIONS = 10_000;
const STOP_WITHIN_MS = 9_000;
const LOOK_AGAIN_MS = 150;
const VISIBLE_WITHIN_MS = 20_000;

/**
 * Starts the service and fills a demo tenant through its API; with data from an earlier demo, it uses what exists. Runs
 * until SIGINT or SIGTERM. Exit code 0 after a signal, 1 when the demo could not be set up, 78 for a wrong
 * configuration.
 */
export async function runDemo({ transactions: wanted = DEMO_TRANSACTIONS }: { transactions?: number }): Promise<void> {
  const config = configured(process.env);
  if (config === null) return;
  let service: Service | undefined;
  const stopping = new AbortController();
  const log = pino.destination({ dest: logFileOf(config), mkdir: true, sync: true });
  closeWithGrace({ delay: STOP_WITHIN_MS, logger: false }, async ({ err }) => {
    stopping.abort();
    if (err !== undefined) sayError(`demo: ${err.message}`);
    await service?.stop();
  });
  try {
    const port = await demoPort(config.host, config.port, isAsked(process.env.PORT));
    const { keys, fresh } = keysFor(config);
    const logger = createLogger(config.logLevel, log);
    for (const line of consoleLines(config.host, port, keys)) say(line);
    say(`Starting the service with the data in ${config.dataDir}; it logs to ${logFileOf(config)}`);
    service = await startService({
      config: { ...config, port, bootstrap: bootstrapOf(keys) },
      logger,
      onBackgroundLost: (error) => {
        sayError(`demo: ${error.message}`);
        process.exit(1);
      },
    });
    if (fresh && service.bootstrapped === null) forgetDemoKeys(config.dataDir);
    const tenantId = await tenantOf(service, keys);
    await fill(service, { config, keys, tenantId, transactions: wanted, signal: stopping.signal });
  } catch (error) {
    if (stopping.signal.aborted) return;
    sayError(`demo: ${error instanceof Error ? error.message : String(error)}`);
    await service?.stop();
    process.exit(1);
  }
}

/** Where the console will be once the service is up, and a sign-in for it. */
function consoleLines(host: string, port: number, { adminEmail, adminPassword }: DemoKeys): string[] {
  const reached = isIP(host) === 6 ? `[${host}]` : host;
  return [
    `Console    http://${reached}:${port}/console`,
    `           Email     ${adminEmail}`,
    `           Password  ${adminPassword}`,
    '',
  ];
}

function isAsked(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function logFileOf({ dataDir }: Config): string {
  return join(dataDir, 'demo.log');
}

/** The configuration of one process in all roles; null, after printing the faults, when the environment is wrong. */
function configured(environment: NodeJS.ProcessEnv): Config | null {
  const read = readConfig({ RATE_LIMIT_PER_MINUTE: '1000000', ...environment, DEMO_BANK: 'on', ROLE: 'all' });
  if (read.ok) return read.config;
  for (const fault of read.faults) sayError(fault);
  process.exit(EXIT_CONFIG);
}

/** @throws Error when the folder holds data that the demo did not make */
function keysFor({ dataDir }: Config): { keys: DemoKeys; fresh: boolean } {
  const known = readDemoKeys(dataDir);
  if (known !== undefined) return { keys: known, fresh: false };
  if (existsSync(join(dataDir, 'log.sqlite'))) throw notOurs(dataDir);
  return { keys: makeDemoKeys(dataDir), fresh: true };
}

function notOurs(dataDir: string): Error {
  return new Error(`the data of ${dataDir} is not the demo's; set DATA_DIR to another folder, or use \`npm start\``);
}

function bootstrapOf(keys: DemoKeys): Config['bootstrap'] {
  const { adminEmail, adminPassword, apiKey, apiSecret } = keys;
  return { tenant: 'Demo group', companyId: ISTANBUL, adminEmail, adminPassword, apiKey, apiSecret };
}

async function tenantOf(service: Service, keys: DemoKeys): Promise<string> {
  const { bootstrapped, httpServices, log } = service;
  await visible(service, ['companies', 'api-keys'], bootstrapped?.position ?? (await log.head()));
  const caller = await httpServices.authenticateKey(keys, 'write');
  if (caller === null) throw notOurs('the stores');
  return caller.tenantId;
}

async function visible(service: Service, readModels: readonly string[], position: string): Promise<void> {
  if (await service.httpServices.waitFor(readModels, position, VISIBLE_WITHIN_MS)) return;
  const parts = await service.httpServices.health();
  const faults = parts.filter((part) => !part.ok).map(({ name, state, error }) => `${name} ${state} (${error ?? ''})`);
  throw new Error(`the read models do not follow the log: ${faults.join(', ')}; see demo.log for details`);
}

type Filling = {
  readonly config: Config;
  readonly keys: DemoKeys;
  readonly tenantId: string;
  readonly transactions: number;
  readonly signal: AbortSignal;
};

async function fill(
  service: Service,
  { config, keys, tenantId, transactions: wanted, signal }: Filling,
): Promise<void> {
  const { apiKey, apiSecret } = keys;
  const client = new BankClient({ baseUrl: service.url, apiKey, apiSecret, signal });
  await ensureSecondCompany(service, tenantId);
  deliverStatements(config.statementsDir, tenantId);
  // Before the first sync, since a rule applies to what arrives while it is active.
  const rulesMade = await ensureRules(client);
  const connections: BankConnection[] = [];
  const fresh: BankConnection[] = [];
  for (const bank of demoBanks(wanted)) {
    const connected = await connect(client, bank);
    connections.push(connected.connection);
    if (connected.fresh) fresh.push(connected.connection);
  }
  if (fresh.length > 0) {
    say(
      `Two companies, ${demoRules.length} rules and ${connections.length} connections are ready; syncing with the banks`,
    );
    const expected = expectedTransactions(wanted, new Date());
    const syncing = openProgress('Transactions');
    let inserted = 0;
    await syncAll(client, fresh, (done) => {
      inserted = done;
      syncing.show(done, expected);
    });
    syncing.end(inserted);
  } else if (rulesMade === 0) say('The demo data already exists: nothing was added; the current data:');
  await automationDone(service, tenantId, signal);
  for (const line of await summaryLines(service, client, { tenantId, keys, connections })) say(line);
}

/**
 * Only a signed-in admin can add a company over the API, and the demo has an API key: so it executes the command
 * itself.
 */
async function ensureSecondCompany(service: Service, tenantId: string): Promise<void> {
  const known = await service.reactorServices.readModels.of(companies).get(documentId(tenantId, BERLIN));
  if (known !== undefined) return;
  const position = await createCompany(
    {
      log: service.log,
      clock: systemClock,
      newId,
      tenantId,
      companyId: null,
      actor: { type: 'operator', id: 'demo' },
      correlationId: newId(),
    },
    { companyId: BERLIN, name: 'Demo Berlin GmbH', automation: true, createdAt: isoTime(systemClock.now()) },
  );
  await visible(service, ['companies'], position);
}

/** Returns how many were created. */
async function ensureRules(client: BankClient): Promise<number> {
  let made = 0;
  for (const company of [ISTANBUL, BERLIN]) {
    const own = client.with({ company });
    const names = new Set<string>();
    for await (const { name } of own.each.listRules()) names.add(name);
    for (const { company: owner, ...rule } of demoRules) {
      if (owner !== company || names.has(rule.name)) continue;
      await own.createRule(rule);
      made += 1;
    }
  }
  return made;
}

/**
 * Waits until no transaction waits for automation. Counts in the read model, because the API lists and does not count.
 */
async function automationDone(service: Service, tenantId: string, signal: AbortSignal): Promise<void> {
  // Events that the read model does not contain yet would look as if nothing waited.
  await visible(service, [transactions.name], await service.log.head());
  const collection = service.reactorServices.readModels.of(transactions);
  const waiting = () => collection.count([{ field: 'automationDueAt', op: 'gt', value: '' }]);
  let left = await waiting();
  if (left === 0) return;
  const total = await collection.count([{ field: 'tenantId', op: 'eq', value: tenantId }]);
  const progress = openProgress('Automation');
  for (; left > 0; left = await waiting()) {
    signal.throwIfAborted();
    progress.show(total - left, total);
    await wait(LOOK_AGAIN_MS);
  }
  progress.end(total);
}
