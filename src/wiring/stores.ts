import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { eventCodec } from '../events/registry.ts';
import { openEmbeddedLog } from '../log/embedded/embedded-log.ts';
import type { EventLog } from '../log/log.ts';
import { openEmbeddedReadStore } from '../readstore/embedded/embedded-read-store.ts';
import type { ReadStore } from '../readstore/read-store.ts';

/** The adapters of outside stores are loaded only where one is named: a laptop never pays for their clients. */
export async function openLog({ eventStoreUrl, dataDir }: Config): Promise<EventLog> {
  if (eventStoreUrl === null) return openEmbeddedLog({ file: join(dataDir, 'log.sqlite'), codec: eventCodec });
  const { openEventStoreDbLog } = await import('../log/eventstoredb/eventstoredb-log.ts');
  return readable('EVENTSTORE_URL', () => openEventStoreDbLog({ connectionString: eventStoreUrl, codec: eventCodec }));
}

export async function openReadStore({ mongoDbUrl, dataDir }: Config): Promise<ReadStore> {
  if (mongoDbUrl === null) return openEmbeddedReadStore({ file: join(dataDir, 'read-models.sqlite') });
  const { openMongoDbReadStore } = await import('../readstore/mongodb/mongodb-read-store.ts');
  return readable('MONGODB_URL', () => openMongoDbReadStore({ url: mongoDbUrl }));
}

/**
 * A connection string that its own client cannot read is a fault of the configuration. The client's words may repeat
 * it, so they stay out.
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
 * This instance's name on leases. Embedded stores belong to one process at a time, so there it stays the same over a
 * restart and what a killed process held is taken up at once; elsewhere it is unique, and leases have to run out.
 */
export function ownerName(config: Config): string {
  if (ownsItsStores(config)) return 'embedded';
  return `${hostname()}/${process.pid}/${randomUUID().slice(0, 8)}`;
}

/** An embedded store belongs to one process at a time. */
export function ownsItsStores({ eventStoreUrl, mongoDbUrl }: Config): boolean {
  return eventStoreUrl === null || mongoDbUrl === null;
}
