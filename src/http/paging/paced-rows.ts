import type { Projection } from '../../projections/projection.ts';
import type { Page, Reader } from '../../queries/reader.ts';
import type { Document, Filter, Sort } from '../../readstore/read-store.ts';
import type { HttpServices } from '../core/http-services.ts';

const ROWS_A_PAGE = 500;

/**
 * All documents that the filter finds, for a request that examines many of them: in pages, each in an event loop
 * iteration of its own, so that other requests are answered in between.
 */
export async function* pacedRows<D extends Document & { tenantId: string; companyId?: string }>(
  { services, reader }: { readonly services: HttpServices; readonly reader: Reader },
  projection: Projection<D>,
  question: { readonly filter: Filter; readonly sort: Sort },
): AsyncIterable<D> {
  for (let after: (string | number)[] | null | undefined; after !== null; ) {
    const asked = { ...question, limit: ROWS_A_PAGE, ...(after && { after }) };
    const page: Page<D> = await services.costlyRequests.pace(reader.tenantId, () => reader.page(projection, asked));
    yield* page.items;
    after = page.after;
  }
}
