import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/wiring/service.ts';

// The service with attempts at webhooks that follow each other within milliseconds instead of hours.
const read = readConfig(process.env);
if (!read.ok) throw new Error(read.faults.join('\n'));
const service = await startService({
  config: read.config,
  logger: pino({ level: 'silent' }),
  timing: {
    idleMs: 50,
    syncRetryMs: 1,
    webhookTimeoutMs: 150,
    webhookRetries: { pausesMs: [10, 30, 60], giveUpMs: 3_600_000 },
  },
});
if (!(await service.firstTenantBecomesVisible(60_000))) throw new Error('the first tenant did not become visible');
process.stdout.write(`${JSON.stringify({ url: service.url })}\n`);
process.once('SIGTERM', async () => {
  await service.stop();
  process.exit(0);
});
