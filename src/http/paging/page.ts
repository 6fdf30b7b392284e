import type { Projection } from '../../projections/projection.ts';
import type { Page, Reader } from '../../queries/reader.ts';
import type { Document, Filter, Sort } from '../../readstore/read-store.ts';
import type { HttpServices } from '../core/http-services.ts';
import { limitOf } from '../core/parameters.ts';
import { countedWhere } from './count.ts';
import { type CursorBinding, openCursor, sealCursor } from './cursor.ts';

type Paged = {
  readonly limit?: number;
  readonly cursor?: string;
  readonly count?: boolean;
  readonly expand?: readonly string[];
  readonly include?: string;
};

export type ListPage<Item> = {
  readonly items: Item[];
  readonly nextCursor: string | null;
} & Awaited<ReturnType<typeof countedWhere>>;

/** One page of a list and the cursor of the next. @throws ApiError CURSOR_INVALID */
export function pageOf<D extends Document & { tenantId: string; companyId?: string }>(
  call: { services: HttpServices; reader: Reader; query: Paged },
  operationId: string,
  projection: Projection<D>,
  question: { filter: Filter; sort: Sort },
): Promise<ListPage<D>> {
  return pageBy(
    call,
    operationId,
    (part) => call.reader.page(projection, { ...question, ...part }),
    (most) => call.reader.count(projection, question.filter, most),
  );
}

/**
 * The same for data outside the read models.
 * @param ask reads what comes after the keyset, or from the start
 * @param count of all items, exact up to the given number
 */
export async function pageBy<Item>(
  { services, reader, query }: { services: HttpServices; reader: Reader; query: Paged },
  operationId: string,
  ask: (part: { limit: number; after?: readonly (string | number)[] }) => Promise<Page<Item>>,
  count: (most: number) => Promise<number>,
): Promise<ListPage<Item>> {
  const { limit, cursor, count: _, expand, include, ...rest } = query;
  const binding: CursorBinding = {
    tenantId: reader.tenantId,
    operationId,
    query: { ...rest, companies: reader.companies },
  };
  const after = cursor === undefined ? undefined : openCursor(services.cursorKey, binding, cursor);
  const page = await ask({ limit: limitOf(query), ...(after && { after }) });
  const nextCursor = page.after === null ? null : sealCursor(services.cursorKey, binding, page.after);
  return { items: page.items, nextCursor, ...(await countedWhere(query, count)) };
}
