import { type ListThen, readsOf } from '../../audit/lists-then.ts';
import { MOMENT_READ_MODELS, neededFor, positionAt, settledPosition } from '../../audit/moments.ts';
import { countAsOf, pageAsOf } from '../../audit/page-as-of.ts';
import type { Reader } from '../../queries/reader.ts';
import type { Document, Filter, Sort } from '../../readstore/read-store.ts';
import { isoTime } from '../../shared/clock.ts';
import { ApiError } from '../core/errors.ts';
import type { HttpServices } from '../core/http-services.ts';
import { limitOf } from '../core/parameters.ts';
import { waitUntilReached } from '../core/wait-until-reached.ts';
import { countedWhere } from './count.ts';
import { type CursorBinding, openCursor, sealCursor } from './cursor.ts';
import { type ListPage, pageOf } from './page.ts';

type Call = {
  readonly services: HttpServices;
  readonly reader: Reader;
  readonly query: {
    readonly limit?: number;
    readonly cursor?: string;
    readonly count?: boolean;
    readonly expand?: readonly string[];
  };
};

/**
 * The position of the tenant's last event at the moment. @throws ApiError DATE_RANGE_INVALID for a future one,
 * READ_MODEL_BEHIND
 */
export async function positionOfMoment(services: HttpServices, tenantId: string, moment: string): Promise<string> {
  if (moment > isoTime(services.clock.now())) throw new ApiError('DATE_RANGE_INVALID');
  const settled = settledPosition(services.readModels, tenantId, moment);
  if (settled !== undefined) return settled;
  const needed = await neededFor(services.readModels, moment, () => services.log.head());
  await waitUntilReached(services, MOMENT_READ_MODELS, needed);
  return positionAt(services.readModels, tenantId, moment);
}

/**
 * One page of a list as it was known at a moment. The cursor holds the position, so that all pages are as of the same
 * one. @throws ApiError
 */
async function pageOfThen<D extends Document & { tenantId: string; companyId?: string }>(
  { services, reader, query }: Call,
  operationId: string,
  list: ListThen<D>,
  question: { readonly filter: Filter; readonly sort: Sort; readonly asOf: string },
): Promise<ListPage<D> & { position: string }> {
  const { asOf, ...asked } = question;
  const { limit, cursor, count, expand, ...rest } = query;
  const binding: CursorBinding = {
    tenantId: reader.tenantId,
    operationId: `${operationId} as of`,
    query: { ...rest, companies: reader.companies },
  };
  const [known, ...after] = cursor === undefined ? [] : openCursor(services.cursorKey, binding, cursor);
  const position = known === undefined ? await positionOfMoment(services, reader.tenantId, asOf) : String(known);
  await waitUntilReached(services, readsOf(list), position);
  const page = await pageAsOf(services.log, reader, {
    list,
    ...asked,
    limit: limitOf(query),
    position,
    ...(cursor === undefined ? {} : { after }),
  });
  const nextCursor = page.after === null ? null : sealCursor(services.cursorKey, binding, [position, ...page.after]);
  const counted = await countedWhere(query, (most) =>
    countAsOf(services.log, reader, { list, ...asked, position }, most),
  );
  return { items: page.items, nextCursor, position, ...counted };
}

/** {@link pageOf}, or {@link pageOfThen} for a moment in the past; then with the position used. @throws ApiError */
export async function pageNowOrThen<D extends Document & { tenantId: string; companyId?: string }>(
  call: Call & { readonly query: { readonly asOf?: string } },
  operationId: string,
  list: ListThen<D>,
  question: { readonly filter: Filter; readonly sort: Sort },
): Promise<ListPage<D> & { position?: string }> {
  const { asOf } = call.query;
  if (asOf === undefined) return pageOf(call, operationId, list.projection, question);
  return pageOfThen(call, operationId, list, { ...question, asOf });
}
