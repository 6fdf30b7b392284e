import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/wiring/service.ts';

// The service on a clock that its parent moves: it advances by itself, and jumps to the times that the parent sends.
const read = readConfig(process.env);
if (!read.ok) throw new Error(read.faults.join('\n'));
const { FIRST_TENANT: firstTenantId = '', NOW_MS: startMs = '' } = process.env;
let base = { set: Number(startMs), at: performance.now() };
process.on('message', (nowMs: number) => {
  base = { set: nowMs, at: performance.now() };
});
process.once('disconnect', () => process.exit(0));
const service = await startService({
  config: read.config,
  logger: pino({ level: 'silent' }),
  clock: { now: () => Math.floor(base.set + performance.now() - base.at) },
  firstTenantId,
  timing: { idleMs: 100, syncRetryMs: 10 },
});
process.send?.({ url: service.url });
