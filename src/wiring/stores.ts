import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config.ts';
import { eventCodec } from '../events/registry.ts';
import { openEmbeddedLog } from '../log/embedded/embedded-log.ts';
import { type LogMemory, newLogMemory } from '../log/embedded/log-sharing.ts';
import type { EventLog } from '../log/log.ts';
import { newStoreMemory } from '../readstore/embedded/store-sharing.ts';
import { openEmbeddedStores, READ_MODELS_FILE, type TwoFilesMemory } from '../readstore/embedded/two-files.ts';
import type { ReadStore } from '../readstore/read-store.ts';

export const LOG_FILE = 'log.sqlite';

/** For embedded stores that two threads of this process open: `first` is the one that opens them before the other. */
export type StoreThreads = {
  readonly memory: { readonly log: LogMemory } & TwoFilesMemory;
  readonly first: boolean;
};

export function newStoreThreads(): StoreThreads {
  return {
    memory: { log: newLogMemory(), readModels: newStoreMemory(), state: newStoreMemory() },
    first: true,
  };
}

/**
 * The adapters of external stores are loaded only where one is configured, so that a laptop does not load their
 * clients.
 */
export async function openLog({ eventStoreUrl, dataDir }: Config, threads?: StoreThreads): Promise<EventLog> {
  if (eventStoreUrl === null) {
    const shared = threads === undefined ? {} : { shared: { memory: threads.memory.log, first: threads.first } };
    return openEmbeddedLog({ file: join(dataDir, LOG_FILE), codec: eventCodec, ...shared });
  }
  const { openEventStoreDbLog } = await import('../log/eventstoredb/eventstoredb-log.ts');
  return readable('EVENTSTORE_URL', () => openEventStoreDbLog({ connectionString: eventStoreUrl, codec: eventCodec }));
}

export async function openReadStore(
  { mongoDbUrl, dataDir }: Config,
  logger?: Pick<Logger, 'warn'>,
  threads?: StoreThreads,
): Promise<ReadStore> {
  if (mongoDbUrl === null) return openEmbeddedStores(dataDir, threads?.memory);
  const { openMongoDbReadStore } = await import('../readstore/mongodb/mongodb-read-store.ts');
  const onFault = (err: unknown, collection: string): void =>
    logger?.warn({ err, collection }, 'an index could not be built and will be tried again');
  return readable('MONGODB_URL', () => openMongoDbReadStore({ url: mongoDbUrl, onFault }));
}

/** The file of the read models; null where they are in MongoDB. */
export function readModelsFileOf({ mongoDbUrl, dataDir }: Config): string | null {
  return mongoDbUrl === null ? join(dataDir, READ_MODELS_FILE) : null;
}

/**
 * A connection string that its client cannot parse is a fault of the configuration. The client's message may repeat it,
 * so it is left out.
 */
function readable<Store>(variable: string, open: () => Store): Store {
  try {
    return open();
  } catch {
    throw new ConfigError([
      `${variable}: cannot be read as a connection string${variable === 'MONGODB_URL' ? ' that names a database' : ''}`,
    ]);
  }
}

/**
 * This instance's name on leases. Embedded stores belong to one process at a time, so there it survives a restart and
 * leases of a killed process are resumed at once; elsewhere it is unique, and leases must expire.
 */
export function ownerName(config: Config): string {
  if (ownsItsStores(config)) return 'embedded';
  return `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`;
}

/** An embedded store belongs to one process at a time. */
export function ownsItsStores({ eventStoreUrl, mongoDbUrl }: Config): boolean {
  return eventStoreUrl === null || mongoDbUrl === null;
}

/**
 * Where large statement files are spooled: a folder that one thread uses by itself; null for a temporary one, where the
 * data folder may belong to several processes.
 */
export function spoolFolderOf(config: Config, thread: 'background' | 'requests'): string | null {
  if (!ownsItsStores(config)) return null;
  return join(config.dataDir, thread === 'background' ? 'statement-spool' : 'statement-spool-of-requests');
}
