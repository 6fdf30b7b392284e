import { compareKeysets, matches } from '../../src/readstore/matching.ts';
import { keysetOf } from '../../src/readstore/ordering.ts';
import {
  type Checkpoint,
  type Collection,
  type Document,
  DocumentTooLarge,
  type Filter,
  type Find,
  type Lease,
  type Leases,
  MAX_DOCUMENT_BYTES,
  type ReadStore,
  ReadStoreUnavailable,
} from '../../src/readstore/read-store.ts';
import { isoTime } from '../../src/shared/clock.ts';
import { faultlessLink, type Link } from './link.ts';

const PAGE_SIZE = 500;

/** What a simulated store keeps, which outlives the instances that open it. Documents are never changed in place. */
export type StoreDisk = {
  readonly collections: Map<string, Map<string, Document>>;
  readonly checkpoints: Map<string, Checkpoint>;
  readonly leases: Map<string, Lease>;
  lastFence: number;
};

export function newStoreDisk(): StoreDisk {
  return { collections: new Map(), checkpoints: new Map(), leases: new Map(), lastFence: 0 };
}

function documentsOf(disk: StoreDisk, name: string): Map<string, Document> {
  const known = disk.collections.get(name) ?? new Map<string, Document>();
  disk.collections.set(name, known);
  return known;
}

/** As stored: plain JSON that nobody can change. */
function asStored<D extends Document>(collection: string, document: D): D {
  const size = { characters: 0 };
  const stored = frozenCopy(document, size) as D;
  const isLarge = size.characters > MAX_DOCUMENT_BYTES / 8;
  if (isLarge && JSON.stringify(document).length > MAX_DOCUMENT_BYTES) {
    throw new DocumentTooLarge(collection, document._id);
  }
  return stored;
}

/** What `JSON.parse(JSON.stringify(value))` gives, frozen; adds up about how long its text would be. */
function frozenCopy(value: unknown, size: { characters: number }): unknown {
  if (typeof value === 'string') {
    size.characters += value.length + 2;
    return value;
  }
  size.characters += 8;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((one) => frozenCopy(one ?? null, size)));
  if ('toJSON' in value) return frozenCopy(JSON.parse(JSON.stringify(value)), size);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    size.characters += key.length;
    const stored = frozenCopy(member, size);
    if (key === '__proto__') Object.defineProperty(copy, key, { value: stored, enumerable: true });
    else copy[key] = stored;
  }
  return Object.freeze(copy);
}

const texts = new WeakMap<Document, string>();

/** Of a stored document, made once: nobody can change it. */
export function jsonOf(stored: Document): string {
  const text = texts.get(stored) ?? JSON.stringify(stored);
  texts.set(stored, text);
  return text;
}

function putOver(documents: Map<string, Document>, document: Document): number {
  const known = documents.get(document._id);
  if (known !== undefined && known._position >= document._position) return 0;
  documents.set(document._id, document);
  return 1;
}

function found<D extends Document>(documents: Map<string, Document>, { filter, sort, limit, after }: Find): D[] {
  const keyset = keysetOf(sort);
  const compare = compareKeysets(sort);
  const all = [];
  for (const document of documents.values()) if (matches(document, filter)) all.push(document as D);
  const keyed = all.map((document) => ({ document, keys: keyset(document) }));
  const rest = after === undefined ? keyed : keyed.filter(({ keys }) => compare(keys, after) > 0);
  rest.sort((one, other) => compare(one.keys, other.keys));
  return rest.slice(0, limit).map(({ document }) => document);
}

function acquire(disk: StoreDisk, names: readonly string[], owner: string, ttlMs: number, nowMs: number): Lease[] {
  const acquired: Lease[] = [];
  for (const name of new Set(names)) {
    const held = disk.leases.get(name);
    const isOwn = held?.owner === owner;
    if (held !== undefined && !isOwn && Date.parse(held.until) > nowMs) continue;
    if (!isOwn) disk.lastFence += 1;
    const fence = isOwn ? held.fence : disk.lastFence;
    const lease = { name, owner, fence, until: isoTime(nowMs + ttlMs) };
    disk.leases.set(name, lease);
    acquired.push(lease);
  }
  return acquired;
}

/** A read store in memory that implements the port like the adapter of MongoDB: a batch is not one transaction. */
export function openSimulatedReadStore({
  disk,
  link = faultlessLink,
}: {
  readonly disk: StoreDisk;
  readonly link?: Link;
}): ReadStore {
  let closed = false;
  const open: Link = {
    read: (name, effect) => (closed ? refused() : link.read(name, effect)),
    write: (name, effect, part) => (closed ? refused() : link.write(name, effect, part)),
    rest: link.rest,
  };

  async function refused(): Promise<never> {
    throw new ReadStoreUnavailable('the read store is closed');
  }

  function collection<D extends Document>(name: string): Collection<D> {
    const all = () => documentsOf(disk, name);
    const page = (find: Find): Promise<D[]> => open.read(`find ${name}`, () => found<D>(all(), find));
    return {
      get: (id) => open.read(`get ${name}`, () => all().get(id) as D | undefined),
      getMany: (ids) =>
        open.read(`get ${name}`, () => {
          const documents = all();
          return new Map(ids.flatMap((id) => (documents.has(id) ? [[id, documents.get(id) as D] as const] : [])));
        }),
      find: page,
      async *iterate({ pageSize = PAGE_SIZE, ...rest }) {
        const keyset = keysetOf(rest.sort);
        let { after } = rest;
        for (;;) {
          const items = await page({ ...rest, limit: pageSize, ...(after === undefined ? {} : { after }) });
          yield* items;
          const last = items.at(-1);
          if (last === undefined || items.length < pageSize) return;
          after = keyset(last);
        }
      },
      count: (filter: Filter, limit = Number.POSITIVE_INFINITY) =>
        open.read(`count ${name}`, () => {
          let count = 0;
          for (const document of all().values()) if (count < limit && matches(document, filter)) count += 1;
          return count;
        }),
      async putMany(documents) {
        const stored = documents.map((document) => asStored(name, document));
        const put = (some: readonly D[]): number =>
          some.reduce((written, document) => written + putOver(all(), document), 0);
        return open.write(
          `put ${name}`,
          () => put(stored),
          () => put(stored.slice(0, Math.ceil(stored.length / 2))),
        );
      },
      async compareAndSet(document, expected) {
        const stored = asStored(name, document);
        return open.write(`set ${name}`, () => {
          const isExpected = (all().get(stored._id)?._position ?? null) === expected;
          if (isExpected) all().set(stored._id, stored);
          return isExpected;
        });
      },
      deleteMany: (ids) =>
        open.write(`delete ${name}`, () => ids.reduce((gone, id) => gone + (all().delete(id) ? 1 : 0), 0)),
    };
  }

  const leases: Leases = {
    acquireMany: async (names, owner, ttlMs, nowMs) =>
      names.length === 0 ? [] : open.write('acquire leases', () => acquire(disk, names, owner, ttlMs, nowMs)),
    releaseMany: (names, owner) =>
      open.write('release leases', () => {
        for (const name of names) if (disk.leases.get(name)?.owner === owner) disk.leases.delete(name);
      }),
    getMany: (names) =>
      open.read('get leases', () => {
        return new Map(
          names.flatMap((name) => (disk.leases.has(name) ? [[name, disk.leases.get(name) as Lease]] : [])),
        );
      }),
  };

  return {
    ensureCollection: async ({ name }) => {
      documentsOf(disk, name);
    },
    collection: ({ name }) => collection(name),
    dropCollection: (name) => open.write(`drop ${name}`, () => void disk.collections.delete(name)),
    async commitBatch({ collection: { name: into }, documents, checkpoint }) {
      const { name, expected, position, fence } = checkpoint;
      if (documents.length > 0) await collection(into).putMany(documents);
      const moved = await open.write(`checkpoint ${name}`, () => {
        const stored = disk.checkpoints.get(name);
        if ((stored?.position ?? null) !== expected || (stored?.fence ?? 0) > fence) return false;
        disk.checkpoints.set(name, { name, position, fence });
        return true;
      });
      if (moved) return 'committed';
      const stored = await open.read(`checkpoint ${name}`, () => disk.checkpoints.get(name));
      return stored?.position === position && stored.fence === fence ? 'committed' : 'fenced';
    },
    checkpoints: (names) =>
      open.read('checkpoints', () => {
        return new Map(names.flatMap((name) => disk.checkpoints.get(name) ?? []).map((one) => [one.name, one]));
      }),
    deleteCheckpoint: (name) => open.write(`delete checkpoint ${name}`, () => void disk.checkpoints.delete(name)),
    leases,
    ping: () => open.read('ping', () => undefined),
    async close() {
      closed = true;
    },
  };
}
