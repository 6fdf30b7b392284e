import type { Db, IndexDescription, MongoClient } from 'mongodb';
import type { Backoff } from '../../shared/backoff.ts';
import { retry } from '../../shared/retry.ts';
import { ReadStoreUnavailable } from '../read-store.ts';
import { unavailable } from './mongodb-errors.ts';

export type IndexBuild = {
  readonly collection: string;
  readonly indexes: readonly (IndexDescription & { readonly name: string })[];
};

/** Builds of indexes on collections that hold documents, which may take hours. */
export type IndexBuilds = {
  /**
   * @throws ReadStoreUnavailable when the link breaks; the server continues the build, and a repetition waits for it
   */
  readonly build: (build: IndexBuild) => Promise<void>;
  /** Builds until it succeeds, whatever fails meanwhile. Once for a collection, however often it is asked. */
  readonly buildInBackground: (build: IndexBuild) => void;
  readonly close: () => Promise<void>;
};

const BUILT_WITHIN_MS = 12 * 3_600_000;
const BACKOFF: Backoff = { firstMs: 1_000, mostMs: 60_000 };

/**
 * @param newClient a client whose links wait without a limit: that of the others would end each build
 * @param onFault called for each attempt in the background that failed
 */
export function createIndexBuilds(options: {
  readonly newClient: () => MongoClient;
  readonly onFault: (error: unknown, collection: string) => void;
}): IndexBuilds {
  const { newClient, onFault } = options;
  const closing = new AbortController();
  const running = new Map<string, Promise<void>>();
  const clients = new Set<MongoClient>();

  async function onOwnLink<T>(use: (database: Db) => Promise<T>): Promise<T> {
    const client = newClient();
    clients.add(client);
    try {
      return await use(client.db());
    } catch (error) {
      if (closing.signal.aborted) throw new ReadStoreUnavailable('the read store is closed', { cause: error });
      throw unavailable(error);
    } finally {
      clients.delete(client);
      await client.close().catch(() => {});
    }
  }

  async function build({ collection, indexes }: IndexBuild): Promise<void> {
    await onOwnLink((database) =>
      database.collection(collection).createIndexes([...indexes], { maxTimeMS: BUILT_WITHIN_MS }),
    );
  }

  return {
    build,
    buildInBackground(wanted) {
      if (running.has(wanted.collection)) return;
      const { signal } = closing;
      const onFailure = (error: unknown): void => onFault(error, wanted.collection);
      const done = retry(() => build(wanted), { isPassing: () => true, backoff: BACKOFF, signal, onFailure })
        // Only the end of the store ends the attempts.
        .catch(() => {})
        .finally(() => running.delete(wanted.collection));
      running.set(wanted.collection, done);
    },
    async close() {
      closing.abort();
      await Promise.all(Array.from(clients, (client) => client.close().catch(() => {})));
      await Promise.all(running.values());
    },
  };
}
