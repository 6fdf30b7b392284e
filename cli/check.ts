import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkReadModels, type ReadModelCheck } from '../src/audit/check-read-models.ts';
import type { Config } from '../src/config.ts';
import { eventCodec } from '../src/events/registry.ts';
import { ownKey } from '../src/identity/own-keys.ts';
import { openEmbeddedLog } from '../src/log/embedded/embedded-log.ts';
import { LogCorrupted, LogUnavailable } from '../src/log/log.ts';
import { projections } from '../src/projections/all.ts';
import { faultsOfFile } from '../src/readstore/embedded/check-file.ts';
import { openEmbeddedReadStore } from '../src/readstore/embedded/embedded-read-store.ts';
import { openEmbeddedStores, READ_MODELS_FILE, STATE_FILE } from '../src/readstore/embedded/two-files.ts';
import { ReadStoreUnavailable } from '../src/readstore/read-store.ts';
import { systemClock } from '../src/shared/clock.ts';
import { checkState } from './check-state.ts';
import { readConfiguration } from './configuration.ts';
import { count, refuse, say, sayError } from './say.ts';

const DIFFERENCES_SHOWN = 5;

/**
 * Examines the files of an installation on embedded stores, which must be stopped, and repairs nothing. Exit code 0:
 * all is well; 1: something is not, or cannot be examined; 78: the configuration is wrong.
 */
export async function runCheck(): Promise<void> {
  const config = readConfiguration();
  if (config === null) return;
  if (config.eventStoreUrl !== null || config.mongoDbUrl !== null) {
    return refuse('EVENTSTORE_URL or MONGODB_URL is set; only embedded stores are checked (see bank replay)');
  }
  try {
    const faults = await faultsOf(config);
    if (faults === 0) say('No fault found.');
    else refuse(faults === 1 ? '1 fault found.' : `${count(faults)} faults found.`);
  } catch (error) {
    if (error instanceof LogUnavailable) {
      return refuse(`the log cannot be opened; is the service running? ${error.message}`);
    }
    if (error instanceof ReadStoreUnavailable) return refuse(error.message);
    throw error;
  }
}

async function faultsOf(config: Config): Promise<number> {
  const { dataDir } = config;
  const file = join(dataDir, 'log.sqlite');
  // Opening would create an empty log, in which nothing is wrong.
  if (!existsSync(file)) return reported(`${file} does not exist`);
  let log: ReturnType<typeof openEmbeddedLog>;
  try {
    log = openEmbeddedLog({ file, codec: eventCodec });
  } catch (error) {
    if (error instanceof LogCorrupted) return damagedLog(error);
    throw error;
  }
  const folder = await mkdtemp(join(dataDir, 'check-'));
  const spare = openEmbeddedReadStore({ file: join(folder, 'spare.sqlite') });
  try {
    const { events } = await log.verify();
    say(`log.sqlite: ${count(events)} events, the digest chain is unbroken`);
    const damaged = faultsOfFiles(config);
    if (damaged > 0) return damaged;
    const hasReadModels = existsSync(join(dataDir, READ_MODELS_FILE));
    // Opening both would create the missing one.
    const readStore = hasReadModels
      ? openEmbeddedStores(dataDir)
      : openEmbeddedReadStore({ file: join(dataDir, STATE_FILE) });
    try {
      let faults = 0;
      if (hasReadModels) {
        for await (const check of checkReadModels({ log, readStore, spare, projections })) {
          faults += sayReadModel(check);
        }
      }
      const state = await checkState({
        log,
        readStore,
        spare,
        tokenKey: config.tokenKey ?? ownKey(dataDir, 'token'),
        encryptionKey: config.encryptionKey ?? ownKey(dataDir, 'encryption'),
        clock: systemClock,
      });
      for (const fault of state.faults) sayError(`  ${fault}`);
      const { keys, users, credentials, webhooks } = state;
      say(
        `secrets: of ${count(keys)} API keys, ${count(users)} users, ${count(credentials)} connections and ` +
          `${count(webhooks)} webhooks`,
      );
      return faults + state.faults.length;
    } finally {
      await readStore.close();
    }
  } catch (error) {
    if (error instanceof LogCorrupted) return damagedLog(error);
    throw error;
  } finally {
    await spare.close();
    await log.close();
    await rm(folder, { recursive: true });
  }
}

function damagedLog(error: LogCorrupted): number {
  sayError(`log.sqlite is damaged: ${error.message}. Restore it from a backup; nothing else was checked.`);
  return 1;
}

/** One fault more. */
function reported(fault: string): number {
  sayError(fault);
  return 1;
}

function faultsOfFiles(config: Config): number {
  const { dataDir } = config;
  let found = 0;
  const advice = {
    [READ_MODELS_FILE]: 'delete it: the next start rebuilds it from the log',
    [STATE_FILE]: 'restore it from a backup',
  };
  for (const key of ['token.key', 'encryption.key']) {
    // Of a key given by the environment there is no file.
    const given = key === 'token.key' ? config.tokenKey : config.encryptionKey;
    if (given === null && !existsSync(join(dataDir, key))) {
      found += reported(`${key} does not exist: restore it from a backup; without it the secrets cannot be used`);
    }
  }
  for (const [name, what] of Object.entries(advice)) {
    const file = join(dataDir, name);
    if (!existsSync(file)) {
      if (name === STATE_FILE) found += reported(`${name} does not exist: ${what}`);
      else say(`${name} does not exist: the next start builds it from the log`);
      continue;
    }
    const faults = faultsOfFile(file);
    if (faults.length === 0) {
      say(`${name}: every page, index and term is sound`);
      continue;
    }
    sayError(`${name} is damaged: ${what}.`);
    for (const fault of faults) sayError(`  ${fault}`);
    found += 1;
  }
  return found;
}

function sayReadModel(check: ReadModelCheck): number {
  switch (check.state) {
    case 'not-built':
      say(`${check.name}: not built yet`);
      return 0;
    case 'ahead':
      return reported(`${check.name}: its checkpoint is ahead of the log; it is folded again at the next start`);
    case 'unfoldable':
      return reported(`${check.name}: ${check.reason}`);
    default: {
      if (check.equal) {
        say(`${check.name}: ${count(check.documents)} documents, as the log has them`);
        return 0;
      }
      sayError(`${check.name}: differs from the log; delete ${READ_MODELS_FILE}, which the next start rebuilds`);
      for (const { documentId, kind, paths } of check.differences.slice(0, DIFFERENCES_SHOWN)) {
        sayError(`  ${documentId} is ${kind}${paths.length === 0 ? '' : `: ${paths.join(', ')}`}`);
      }
      return 1;
    }
  }
}
