import closeWithGrace from 'close-with-grace';
import { ConfigError, readConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { startService } from './service.ts';

const EXIT_CONFIG = 78;
const EXIT_FAILURE = 1;
const STOP_WITHIN_MS = 9_000;

function refuse(faults: readonly string[], code = EXIT_CONFIG): never {
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exit(code);
}

const read = readConfig(process.env);
if (!read.ok) refuse(read.faults);
const { config } = read;
const logger = createLogger(config.logLevel);
const service = await startService({ config, logger }).catch((error: unknown) => {
  if (error instanceof ConfigError) refuse(error.faults);
  refuse([`could not start: ${error instanceof Error ? error.message : String(error)}`], EXIT_FAILURE);
});
const { bootstrapped, url } = service;
if (bootstrapped !== null) {
  const { admin, apiKey, companyId } = bootstrapped;
  process.stdout.write(
    [
      'First start. Keep these, they are shown this once:',
      `  admin       ${admin.email}`,
      `  password    ${admin.password}`,
      `  x-company-id  ${companyId}`,
      `  x-api-key     ${apiKey.key}`,
      `  x-api-secret  ${apiKey.secret}`,
      '',
    ].join('\n'),
  );
}
logger.info({ url, docs: `${url}/docs` }, 'listening');
closeWithGrace({ delay: STOP_WITHIN_MS, logger: false }, async ({ err, signal }) => {
  if (err) logger.error({ err }, 'stopping after a fault');
  else logger.info({ signal }, 'stopping');
  await service.stop();
});
