import { type MessagePort, parentPort } from 'node:worker_threads';
import { watchLog } from '../log/log-link.ts';
import { meteredLog } from '../log/metered-log.ts';
import { createLogger } from '../logger.ts';
import { projections } from '../projections/all.ts';
import { startProjections } from '../projections/engine/projection-runner.ts';
import { openSettledReads } from '../projections/engine/settled-reads.ts';
import { systemClock } from '../shared/clock.ts';
import { newId } from '../shared/ids.ts';
import { openRequestClaims } from '../traffic/request-claims.ts';
import { answerThread } from './answer-thread.ts';
import { openParts } from './parts.ts';
import { progressOf } from './progress.ts';
import { openLog, openReadStore, ownsItsStores, spoolFolderOf } from './stores.ts';
import type { FromBackground, ThreadStart, ToBackground } from './thread-messages.ts';
import { openWebhooks } from './webhooks.ts';
import { startWork } from './work.ts';

// The thread of projections and reactors: what an instance of the role `worker` runs, without its health server.
if (parentPort === null) throw new Error('this is the body of a thread');
const port: MessagePort = parentPort;
const post = (message: FromBackground): void => port.postMessage(message);

port.on('message', (message: ToBackground) => {
  // Whatever it throws ends the thread, and with it the process.
  if (message.type === 'begin') void begin(message.start);
});

async function begin({ config, owner, timing, logLevel, memory, ...keys }: ThreadStart): Promise<void> {
  const [tokenKey, encryptionKey] = [Buffer.from(keys.tokenKey), Buffer.from(keys.encryptionKey)];
  const logger = createLogger(logLevel, { write: (line) => post({ type: 'line', line }) });
  const threads = { memory, first: false };
  const opened = await openLog(config, threads);
  const appended = (types: readonly string[], durationMs: number) => post({ type: 'appended', types, durationMs });
  const link = watchLog(config.metricsToken === null ? opened : meteredLog(opened, { appended }));
  const readStore = await openReadStore(config, logger, threads);
  const parts = await openParts({
    config,
    tokenKey,
    encryptionKey,
    log: link.log,
    readStore,
    clock: systemClock,
    newId,
    random: Math.random,
    logger,
    owner,
    timing,
    spoolFolder: spoolFolderOf(config, 'background'),
    banks: [],
  });
  const requestClaims = await openRequestClaims({
    readStore,
    encryptionKey,
    clock: systemClock,
    alone: ownsItsStores(config),
  });
  const runner = startProjections({ log: link.log, readStore, projections, clock: systemClock, owner, logger });
  const { appliedHere } = runner;
  const { readModels } = parts;
  const settledReads = openSettledReads({ log: link.readLog, readStore, readModels, appliedHere });
  const webhooks = await openWebhooks(parts.services, config, progressOf(runner));
  const reactors = startWork({ parts, runner, webhooks, settledReads, requestClaims });
  answerThread(port, runner, reactors, async () => {
    webhooks.close();
    await parts.largeFiles.close();
    await runner.stop();
    await readStore.close();
    await link.stop();
    await link.log.close();
  });
  post({ type: 'begun' });
}
