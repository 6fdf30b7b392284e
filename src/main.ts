import closeWithGrace from 'close-with-grace';
import { ConfigError, readConfig } from './config.ts';
import type { BootstrapResult } from './identity/bootstrap.ts';
import { createLogger } from './logger.ts';
import { hasBackgroundThread, loadBackgroundThread } from './wiring/load-background-thread.ts';

const EXIT_CONFIG = 78;
const EXIT_FAILURE = 1;
/** EX_SOFTWARE of sysexits. */
const EXIT_NOT_VISIBLE = 70;
const STOP_WITHIN_MS = 9_000;

function refuse(faults: readonly string[], code = EXIT_CONFIG): never {
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exit(code);
}

const read = readConfig(process.env);
if (!read.ok) refuse(read.faults);
const { config } = read;
const backgroundThread = hasBackgroundThread(config) ? loadBackgroundThread() : null;
// The thread loads its code meanwhile.
const { startService } = await import('./wiring/service.ts');
const logger = createLogger(config.logLevel);
let stopping = false;
const service = await startService({ config, logger, backgroundThread, onBackgroundLost }).catch((error: unknown) => {
  if (error instanceof ConfigError) refuse(error.faults);
  refuse([`could not start: ${error instanceof Error ? error.message : String(error)}`], EXIT_FAILURE);
});
closeWithGrace({ delay: STOP_WITHIN_MS, logger: false }, async ({ err, signal }) => {
  if (err) logger.error({ err }, 'stopping after an error');
  else logger.info({ signal }, 'stopping');
  stopping = true;
  await service.stop();
});
const { bootstrapped, url } = service;
if (bootstrapped !== null) {
  // Not on an api instance: workers, which may start later, make the tenant visible.
  const proves = config.role !== 'api';
  if (proves) logger.debug('waiting for the tenant of the first start');
  const visible = !proves || (await service.firstTenantBecomesVisible(config.firstStartSeconds * 1_000));
  printFirstStart(bootstrapped, proves);
  if (!visible && !stopping) {
    await service.stop();
    refuse([notVisible(config.firstStartSeconds)], EXIT_NOT_VISIBLE);
  }
}
if (!stopping) logger.info({ url, docs: `${url}/docs` }, 'listening');

/** As after a crash of the whole process, the next start continues what the thread has begun. */
function onBackgroundLost(err: Error): void {
  logger.fatal({ err }, 'ending, since the background thread has ended');
  process.exit(EXIT_FAILURE);
}

/**
 * Also where the tenant does not become visible: these cannot be shown a second time. Secrets from the environment are
 * not repeated.
 */
function printFirstStart({ admin, apiKey, companyId }: BootstrapResult, works: boolean): void {
  const given = config.bootstrap;
  process.stdout.write(
    [
      'First start. Keep these values; they are shown only once:',
      `  admin       ${admin.email}`,
      `  password    ${given.adminPassword === null ? admin.password : 'as in BOOTSTRAP_ADMIN_PASSWORD'}`,
      `  x-company-id  ${companyId}`,
      `  x-api-key     ${apiKey.key}`,
      `  x-api-secret  ${given.apiSecret === null ? apiKey.secret : 'as in BOOTSTRAP_API_SECRET'}`,
      ...(works ? [] : ['They work as soon as a worker runs (ROLE=worker).']),
      '',
    ].join('\n'),
  );
}

function notVisible(seconds: number): string {
  return (
    `the tenant of the first start did not become visible within ${seconds} s: ` +
    'the read models do not follow the log (see the log lines, and /health/ready after the next start).'
  );
}
