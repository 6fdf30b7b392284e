import closeWithGrace from 'close-with-grace';
import { readConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { startService } from './service.ts';

const EXIT_CONFIG = 78;
const STOP_WITHIN_MS = 9_000;

const read = readConfig(process.env);
if (!read.ok) {
  for (const fault of read.faults) process.stderr.write(`${fault}\n`);
  process.exit(EXIT_CONFIG);
}
const logger = createLogger(read.config.logLevel);
const service = await startService({ config: read.config, logger });
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
