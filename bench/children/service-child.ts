import { pino } from 'pino';
import { type Config, readConfig } from '../../src/config.ts';
import { hasBackgroundThread, loadBackgroundThread } from '../../src/wiring/load-background-thread.ts';
import { answerParent } from './messages.ts';

const FIRST_START_MS = 60_000;

// The whole service as `src/main.ts` starts it, on the folder DATA_DIR; reports its resource usage to its parent.
const read = readConfig(process.env);
if (!read.ok) throw new Error(read.faults.join('\n'));
const { BENCH_TENANT: firstTenantId, BENCH_ROLE: role } = process.env;
// Not by ROLE, which is refused with embedded stores, since those belong to one process; here there is only this one.
const config: Config = role === 'api' ? { ...read.config, role } : read.config;
const backgroundThread = hasBackgroundThread(config) ? loadBackgroundThread() : null;
const [{ startService }, { projections }] = await Promise.all([
  import('../../src/wiring/service.ts'),
  import('../../src/projections/all.ts'),
]);
const logger = pino({ level: read.config.logLevel }, pino.destination({ dest: '/dev/null', sync: false }));
const service = await startService({
  config,
  logger,
  backgroundThread,
  ...(firstTenantId === undefined ? {} : { firstTenantId }),
});
if (role !== 'api' && !(await service.firstTenantBecomesVisible(FIRST_START_MS))) {
  throw new Error('the first tenant did not become visible');
}
answerParent({
  ready: { url: service.url },
  answer: async () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    const head = await service.log.head();
    const behind: string[] = [];
    for (const { name } of role === 'api' ? [] : projections) {
      if ((await service.httpServices.positionOf(name)) < head) behind.push(name);
    }
    return { cpuMs: (userCPUTime + systemCPUTime) / 1000, head, behind };
  },
  stop: service.stop,
});
