export type Scalar = string | number | boolean | null;
export type Json = Scalar | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * A document of a collection: plain JSON (no undefined, dates as ISO strings, money as decimal strings). `_id` is
 * unique in its collection; `_position` is the log position of the last event folded in and only ever grows.
 */
export type Document = { readonly _id: string; readonly _position: string };

/**
 * One condition on a field (a dotted path reaches into objects). `eq` null also matches a missing field; order
 * comparisons never match null or missing, and compare only values of the same type (number with number, string with
 * string, by code point). `has`: the array field contains the value. `hasPrefix`: it contains a string that starts with
 * the value. `prefix`: the string starts with the value.
 */
export type Condition =
  | { readonly field: string; readonly op: 'eq'; readonly value: Scalar }
  | { readonly field: string; readonly op: 'in'; readonly value: readonly (string | number)[] }
  | { readonly field: string; readonly op: 'gt' | 'gte' | 'lt' | 'lte'; readonly value: string | number }
  | { readonly field: string; readonly op: 'has' | 'hasPrefix' | 'prefix'; readonly value: string };

/** All conditions must hold. */
export type Filter = readonly Condition[];

/**
 * Sort fields hold strings or numbers in every document. `_id`, in the last key's direction, always ends the order, so
 * it is total.
 */
export type Sort = readonly { readonly field: string; readonly direction: 'asc' | 'desc' }[];

export type Find = {
  readonly filter: Filter;
  readonly sort: Sort;
  readonly limit: number;
  /**
   * Keyset: the sort fields' values of the last document seen, then its `_id`; only documents after it are returned.
   */
  readonly after?: readonly (string | number)[];
};

/**
 * An index over the fields in their order; `multi` names the one array field that an index may have, which must be
 * last. Every find and count is expected to be answered from a declared index. Fields after `_id` do not order: the
 * index includes them so that conditions on them are checked without reading the documents. `notNull`: the index is
 * only for finds whose filter compares its first field with a value. It may lack documents in which that is null or
 * absent. `unordered`: what it finds is sorted afterwards; it is for texts in its last field that few documents have,
 * and takes a third of the space.
 */
export type Index = {
  readonly fields: readonly string[];
  readonly multi?: boolean;
  readonly notNull?: true;
  readonly unordered?: true;
};

export type ReadOften = true | 'when-long';

export type CollectionSpec = {
  readonly name: string;
  readonly indexes: readonly Index[];
  /** Its documents cannot be rebuilt from the log. The embedded store keeps them apart from the read models. */
  readonly isState?: true;
  /**
   * Its documents are read many at a time, by requests, or once before it is dropped. The embedded store does not
   * compress them, but stores the names of their fields once (ADR 0058). `when-long`: so are those of more than 2 kB,
   * which are read for much of what is asked; the others are many and compressed.
   */
  readonly isReadOften?: ReadOften;
};

export interface Collection<D extends Document = Document> {
  getMany(ids: readonly string[]): Promise<Map<string, D>>;
  get(id: string): Promise<D | undefined>;
  find(find: Find): Promise<D[]>;
  /**
   * All matches in the order of `sort`, read page by page in constant memory; a document that changes meanwhile is seen
   * once, old or new.
   */
  iterate(find: Omit<Find, 'limit'> & { pageSize?: number }): AsyncIterable<D>;
  /** The number of matches, exact up to `limit`, at which counting stops; unset: all. */
  count(filter: Filter, limit?: number): Promise<number>;
  /**
   * Writes each document that is absent or whose stored `_position` is lower; returns the number written. Durable when
   * it returns. @throws DocumentTooLarge; other documents of the call may have been written
   */
  putMany(documents: readonly D[]): Promise<number>;
  /** Writes if the stored `_position` is exactly `expected` (null: absent); false when it is not. */
  compareAndSet(document: D, expected: string | null): Promise<boolean>;
  deleteMany(ids: readonly string[]): Promise<number>;
}

export type Lease = { readonly name: string; readonly owner: string; readonly fence: number; readonly until: string };

/**
 * Locks that expire. `fence` grows with every change of owner, which distinguishes a late writer from the present one.
 */
export interface Leases {
  /**
   * Returns the leases of those names that were free, expired, or already held by this owner (then renewed with the
   * same fence). `nowMs` is epoch milliseconds.
   */
  acquireMany(names: readonly string[], owner: string, ttlMs: number, nowMs: number): Promise<Lease[]>;
  /** Only those this owner holds. */
  releaseMany(names: readonly string[], owner: string): Promise<void>;
  getMany(names: readonly string[]): Promise<Map<string, Lease>>;
}

export type Checkpoint = { readonly name: string; readonly position: string; readonly fence: number };

export type ProjectionBatch<D extends Document = Document> = {
  readonly collection: CollectionSpec;
  readonly documents: readonly D[];
  /** The checkpoint after this batch, and the position that must be stored before (null: none yet). */
  readonly checkpoint: {
    readonly name: string;
    readonly expected: string | null;
    readonly position: string;
    readonly fence: number;
  };
};

/**
 * The store of the read models. Two adapters, embedded (SQLite) and MongoDB, pass one contract suite and one random
 * differential test.
 */
export interface ReadStore {
  /**
   * Creates the collection when it is missing, and its missing indexes. Where a build could take long, which the store
   * decides, it continues in the background and finds are slow until then, unless `indexes` is `awaited`. With `later`
   * they are created only by the next call without it: an empty collection is filled several times faster that way.
   */
  ensureCollection(spec: CollectionSpec, options?: { readonly indexes?: 'later' | 'awaited' }): Promise<void>;
  /** Handle to a collection that was ensured; costs nothing. */
  collection<D extends Document>(spec: CollectionSpec): Collection<D>;
  /** Of read models only: state is never dropped. */
  dropCollection(name: string): Promise<void>;
  /**
   * Documents first (each only if newer than what is stored), then the checkpoint by compare-and-set with the fence;
   * `fenced` when a later fence or another position is stored, in which case the caller has lost its lease and must
   * stop. @throws DocumentTooLarge before anything is written
   */
  commitBatch<D extends Document>(batch: ProjectionBatch<D>): Promise<'committed' | 'fenced'>;
  checkpoints(names: readonly string[]): Promise<Map<string, Checkpoint>>;
  deleteCheckpoint(name: string): Promise<void>;
  readonly leases: Leases;
  /** @throws ReadStoreUnavailable; ReadStoreDamaged from the first sign of damage on */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The store did not answer. A write that threw this may or may not have happened; every write of this port may be
 * repeated.
 */
export class ReadStoreUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReadStoreUnavailable';
  }
}

/** So many long reads of the same tenant are waiting already that this one was not begun. */
export class ReadStoreBusy extends ReadStoreUnavailable {
  constructor() {
    super('too many long reads are already waiting');
    this.name = 'ReadStoreBusy';
  }
}

/** What is stored cannot be read, and a retry does not change that. The message says what to do about it. */
export class ReadStoreDamaged extends ReadStoreUnavailable {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReadStoreDamaged';
  }
}

/** MongoDB's limit for a stored document, which applies to every store, so that none accepts what another refuses. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** The document is too large for the store, so a retry cannot succeed. */
export class DocumentTooLarge extends Error {
  readonly documentId: string;
  constructor(collection: string, documentId: string) {
    super(`document ${documentId} of ${collection} would be larger than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MiB`);
    this.name = 'DocumentTooLarge';
    this.documentId = documentId;
  }
}
