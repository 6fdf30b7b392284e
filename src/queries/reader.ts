import type { Projection } from '../projections/projection.ts';
import type { Condition, Document, Filter, Sort } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { ReadModels } from './read-models.ts';

type Owned = Document & { readonly tenantId: string; readonly companyId?: string };

export type Page<D> = {
  readonly items: D[] /** Where the next page starts; null on the last one. */;
  readonly after: (string | number)[] | null;
};

/**
 * Reads one tenant's documents, limited to some of its companies or, for null, of all. Every query goes through it, so
 * none can read another tenant.
 */
export type Reader = {
  readonly tenantId: string;
  readonly companies: readonly string[] | null;
  /** The document whose id consists of the tenant and the parts. */
  get<D extends Owned>(projection: Projection<D>, ...parts: readonly string[]): Promise<D | undefined>;
  /** Those of the documents with these ids that the reader sees, in no order. */
  many<D extends Owned>(projection: Projection<D>, ids: readonly string[]): Promise<D[]>;
  /** In the sort's order, at most `limit`, after the keyset. */
  page<D extends Owned>(
    projection: Projection<D>,
    options: { filter: Filter; sort: Sort; limit: number; after?: readonly (string | number)[] },
  ): Promise<Page<D>>;
  all<D extends Owned>(
    projection: Projection<D>,
    options: { filter: Filter; sort: Sort; after?: readonly (string | number)[] },
  ): AsyncIterable<D>;
  /**
   * Whether the reader may see the document: for documents as they stood at another time, which are in no read model.
   */
  sees(document: Owned): boolean;
  /** Exact up to `limit`, at which counting stops; unset: all. */
  count<D extends Owned>(projection: Projection<D>, filter: Filter, limit?: number): Promise<number>;
};

function fieldOf(document: Document, path: string): string | number {
  const value = path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | null)?.[name], document);
  if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError(`cannot sort by ${path}`);
  return value;
}

export function openReader(
  readModels: Pick<ReadModels, 'of'>,
  tenantId: string,
  companies: readonly string[] | null,
): Reader {
  const scope: Condition[] = [{ field: 'tenantId', op: 'eq', value: tenantId }];
  const [only, ...others] = companies ?? [];
  if (only !== undefined) {
    scope.push(
      others.length === 0
        ? { field: 'companyId', op: 'eq', value: only }
        : { field: 'companyId', op: 'in', value: [only, ...others] },
    );
  }
  const nobody = companies !== null && companies.length === 0;
  const sees = ({ tenantId: owner, companyId }: Owned): boolean =>
    owner === tenantId && (companies === null || companyId === undefined || companies.includes(companyId));
  return {
    tenantId,
    companies,
    async get(projection, ...parts) {
      const document = await readModels.of(projection).get(documentId(tenantId, ...parts));
      return document !== undefined && sees(document) ? document : undefined;
    },
    async many(projection, ids) {
      if (nobody || ids.length === 0) return [];
      const found = await readModels.of(projection).getMany(ids.map((id) => documentId(tenantId, id)));
      return [...found.values()].filter(sees);
    },
    async page(projection, { filter, sort, limit, after }) {
      if (nobody) return { items: [], after: null };
      const found = await readModels.of(projection).find({
        filter: [...scope, ...filter],
        sort,
        limit: limit + 1,
        ...(after === undefined ? {} : { after }),
      });
      const items = found.slice(0, limit);
      const last = items.at(-1);
      if (found.length <= limit || last === undefined) return { items, after: null };
      return { items, after: [...sort.map(({ field }) => fieldOf(last, field)), last._id] };
    },
    async *all(projection, { filter, sort, after }) {
      if (nobody) return;
      const question = { filter: [...scope, ...filter], sort };
      yield* readModels.of(projection).iterate(after === undefined ? question : { ...question, after });
    },
    sees,
    async count(projection, filter, limit) {
      return nobody ? 0 : readModels.of(projection).count([...scope, ...filter], limit);
    },
  };
}
