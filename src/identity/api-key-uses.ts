import type { Collection, CollectionSpec, Document, ReadStore } from '../readstore/read-store.ts';
import { isoTime } from '../shared/clock.ts';
import { documentId } from '../shared/ids.ts';

/** Not an event: one for every minute in which a key is used would be most of a quiet tenant's log. */
const API_KEY_USES: CollectionSpec = { name: 'api_key_uses', indexes: [], isState: true };

type ApiKeyUse = Document & { readonly lastUsedAt: string };

/** The precision of what a list shows. */
const WRITTEN_EVERY_MS = 60_000;
const KEPT = 10_000;

export type ApiKeyUses = {
  /** Returns at once; a failure of the store never reaches the request. */
  readonly note: (tenantId: string, apiKeyId: string, nowMs: number) => void;
  /** By key; a key that was never used is missing. */
  readonly lastUsedAt: (tenantId: string, apiKeyIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Resolves when no write is in progress. */
  readonly settled: () => Promise<void>;
};

export async function openApiKeyUses(readStore: ReadStore): Promise<ApiKeyUses> {
  await readStore.ensureCollection(API_KEY_USES);
  const uses: Collection<ApiKeyUse> = readStore.collection(API_KEY_USES);
  const writtenAtMs = new Map<string, number>();
  const writing = new Set<Promise<void>>();

  async function write(_id: string, nowMs: number): Promise<void> {
    try {
      const _position = String(nowMs).padStart(16, '0');
      await uses.putMany([{ _id, _position, lastUsedAt: isoTime(nowMs) }]);
    } catch {
      // The next request tries again.
      writtenAtMs.delete(_id);
    }
  }

  return {
    note(tenantId, apiKeyId, nowMs) {
      const _id = documentId(tenantId, apiKeyId);
      const before = writtenAtMs.get(_id);
      if (before !== undefined && nowMs < before + WRITTEN_EVERY_MS) return;
      if (writtenAtMs.size >= KEPT) writtenAtMs.clear();
      writtenAtMs.set(_id, nowMs);
      const written = write(_id, nowMs).finally(() => writing.delete(written));
      writing.add(written);
    },
    async lastUsedAt(tenantId, apiKeyIds) {
      const found = await uses.getMany(apiKeyIds.map((id) => documentId(tenantId, id)));
      return new Map(
        apiKeyIds.flatMap((id) => {
          const use = found.get(documentId(tenantId, id));
          return use === undefined ? [] : [[id, use.lastUsedAt] as const];
        }),
      );
    },
    settled: async () => void (await Promise.all(writing)),
  };
}
