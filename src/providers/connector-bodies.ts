import type { Collection, CollectionSpec, Document, ReadStore } from '../readstore/read-store.ts';
import { isoTime } from '../shared/clock.ts';
import { sha256 } from '../shared/hash.ts';
import { documentId } from '../shared/ids.ts';

/** The texts of bodies, each once: a bank that has nothing new sends the same answer every time. */
export const CONNECTOR_BODIES: CollectionSpec = {
  name: 'connector_bodies',
  indexes: [{ fields: ['expiresAt'] }],
  isState: true,
};

type BodyDocument = Document & { readonly text: string; readonly expiresAt: string };

/** Shorter texts stay in their record. */
const LEAST_LENGTH = 1_000;
/**
 * A text is kept once for each such span of time, so that it need not be written again, to live longer, with each
 * record that names it.
 */
const SPAN_MS = 86_400_000;
const SLICE = 200;

export type ConnectorBodies = {
  /**
   * Keeps the text of a record of that time (epoch milliseconds) for at least `keptMs`, and returns its id; undefined
   * for a short one. Durable when it resolves.
   */
  readonly keep: (tenantId: string, text: string, atMs: number, keptMs: number) => Promise<string | undefined>;
  /** By their ids; what has expired is missing. */
  readonly texts: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Deletes a batch of expired texts; true if there may be more. */
  readonly sweep: (nowMs: number) => Promise<boolean>;
};

export async function openConnectorBodies(readStore: ReadStore): Promise<ConnectorBodies> {
  await readStore.ensureCollection(CONNECTOR_BODIES);
  const documents: Collection<BodyDocument> = readStore.collection(CONNECTOR_BODIES);
  return {
    async keep(tenantId, text, atMs, keptMs) {
      if (text.length < LEAST_LENGTH) return undefined;
      const span = Math.floor(atMs / SPAN_MS);
      const _id = documentId(tenantId, String(span), sha256(text));
      const expiresAt = isoTime((span + 1) * SPAN_MS + keptMs);
      // Whether it is there already: what the id names never changes.
      await documents.compareAndSet({ _id, _position: expiresAt, text, expiresAt }, null);
      return _id;
    },

    async texts(ids) {
      const found = await documents.getMany([...new Set(ids)]);
      return new Map([...found].map(([id, { text }]) => [id, text]));
    },

    async sweep(nowMs) {
      const expired = await documents.find({
        filter: [{ field: 'expiresAt', op: 'lte', value: isoTime(nowMs) }],
        sort: [{ field: 'expiresAt', direction: 'asc' }],
        limit: SLICE,
      });
      await documents.deleteMany(expired.map(({ _id }) => _id));
      return expired.length === SLICE;
    },
  };
}
