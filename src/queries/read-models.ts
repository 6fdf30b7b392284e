import type { Readable } from '../projections/engine/read-models.ts';
import type { Projection } from '../projections/projection.ts';
import type { Collection, Document } from '../readstore/read-store.ts';

/** Access to a read model: always its live version. */
export type ReadModels = {
  of<D extends Document>(projection: Projection<D>): Collection<D>;
  /** The version that is live at present, for questions that depend on the shape of its documents. */
  readable<D extends Document>(projection: Projection<D>): Promise<Readable<D>>;
};
