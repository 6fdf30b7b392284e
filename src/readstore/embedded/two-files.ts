import { join } from 'node:path';
import pLimit from 'p-limit';
import type {
  Checkpoint,
  Collection,
  CollectionSpec,
  Document,
  Leases,
  ProjectionBatch,
  ReadStore,
} from '../read-store.ts';
import { advised, watchForDamage } from './damage-watch.ts';
import { type EmbeddedReadStore, openEmbeddedReadStore } from './embedded-read-store.ts';
import type { StoreMemory } from './store-sharing.ts';

export const READ_MODELS_FILE = 'read-models.sqlite';
export const STATE_FILE = 'state.sqlite';

const IF_READ_MODELS_ARE_DAMAGED =
  `${READ_MODELS_FILE} is damaged: stop the service, delete the file with those whose names begin with its name, and ` +
  'start again; the service rebuilds it from the log';
const IF_STATE_IS_DAMAGED = `${STATE_FILE} is damaged: stop the service and restore the file from a backup`;

const PAGE = 500;

/** Of the threads that share a folder. */
export type TwoFilesMemory = { readonly readModels: StoreMemory; readonly state: StoreMemory };

/**
 * The embedded read store of a data folder, in two files: read models, leases and checkpoints in one, which may be
 * deleted while the service is stopped, and the collections of state in another. State that an earlier version kept
 * with the read models is moved when its collection is ensured.
 * @param memory for a folder that several threads of this process have open; the first of them ensures every collection
 * of state before another one opens it
 * @throws ReadStoreUnavailable when a file cannot be opened, ReadStoreDamaged when it is no database
 */
export function openEmbeddedStores(folder: string, memory?: TwoFilesMemory): ReadStore {
  const readModels = openFile(join(folder, READ_MODELS_FILE), IF_READ_MODELS_ARE_DAMAGED, memory?.readModels);
  try {
    return new TwoFiles(readModels, openFile(join(folder, STATE_FILE), IF_STATE_IS_DAMAGED, memory?.state, false));
  } catch (error) {
    void readModels.close();
    throw error;
  }
}

/** @param keepsSamples false for state: samples would outlive documents that expire or are deleted */
function openFile(file: string, advice: string, memory?: StoreMemory, keepsSamples = true): EmbeddedReadStore {
  try {
    return openEmbeddedReadStore({ file, keepsSamples, ...(memory === undefined ? {} : { memory }) });
  } catch (error) {
    throw advised(error, advice);
  }
}

class TwoFiles implements ReadStore {
  readonly leases: Leases;
  readonly #readModels: ReadStore;
  readonly #state: ReadStore;
  readonly #hasReadModel: (name: string) => boolean;
  /** One at a time: a second move of a collection could bring back what was deleted after the first. */
  readonly #moves = pLimit(1);

  constructor(readModels: EmbeddedReadStore, state: EmbeddedReadStore) {
    this.#hasReadModel = (name) => readModels.hasCollection(name);
    this.#readModels = watchForDamage(readModels, IF_READ_MODELS_ARE_DAMAGED);
    this.#state = watchForDamage(state, IF_STATE_IS_DAMAGED);
    this.leases = this.#readModels.leases;
  }

  async ensureCollection(spec: CollectionSpec, options?: { readonly indexes?: 'later' | 'awaited' }): Promise<void> {
    if (spec.isState !== true) return this.#readModels.ensureCollection(spec, options);
    await this.#state.ensureCollection(spec, options);
    await this.#moves(() => this.#moveFromReadModels(spec));
  }

  collection<D extends Document>(spec: CollectionSpec): Collection<D> {
    return (spec.isState === true ? this.#state : this.#readModels).collection(spec);
  }

  dropCollection(name: string): Promise<void> {
    return this.#readModels.dropCollection(name);
  }

  commitBatch<D extends Document>(batch: ProjectionBatch<D>): Promise<'committed' | 'fenced'> {
    return this.#readModels.commitBatch(batch);
  }

  checkpoints(names: readonly string[]): Promise<Map<string, Checkpoint>> {
    return this.#readModels.checkpoints(names);
  }

  deleteCheckpoint(name: string): Promise<void> {
    return this.#readModels.deleteCheckpoint(name);
  }

  async ping(): Promise<void> {
    await this.#readModels.ping();
    await this.#state.ping();
  }

  async close(): Promise<void> {
    await Promise.all([this.#readModels.close(), this.#state.close()]);
  }

  /** A move that was interrupted is repeated whole: a document that was moved already is not written again. */
  async #moveFromReadModels(spec: CollectionSpec): Promise<void> {
    if (!this.#hasReadModel(spec.name)) return;
    const to = this.#state.collection(spec);
    let page: Document[] = [];
    for await (const document of this.#readModels.collection(spec).iterate({ filter: [], sort: [], pageSize: PAGE })) {
      page.push(document);
      if (page.length < PAGE) continue;
      await to.putMany(page);
      page = [];
    }
    await to.putMany(page);
    await this.#readModels.dropCollection(spec.name);
  }
}
