import type { Projection } from '../projections/projection.ts';
import type { Collection, Document } from '../readstore/read-store.ts';

/** Access to a read model: always its live version. */
export type ReadModels = {
  of<D extends Document>(projection: Projection<D>): Collection<D>;
};
