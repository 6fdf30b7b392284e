import { positionAt } from '../../audit/moments.ts';
import { MovingTooFast, pageAsOf } from '../../audit/page-as-of.ts';
import type { Category } from '../../log/streams.ts';
import { logMoments } from '../../projections/log-moments.ts';
import type { Projection } from '../../projections/projection.ts';
import type { Reader } from '../../queries/reader.ts';
import type { Document, Filter, Sort } from '../../readstore/read-store.ts';
import { isoTime } from '../../shared/clock.ts';
import { ApiError } from '../core/errors.ts';
import type { HttpServices } from '../core/http-services.ts';
import { limitOf } from '../core/parameters.ts';
import { waitUntilReached } from '../core/wait-until-reached.ts';
import { type CursorBinding, openCursor, sealCursor } from './cursor.ts';
import { pageOf } from './page.ts';

type Call = {
  readonly services: HttpServices;
  readonly reader: Reader;
  readonly query: { readonly limit?: number; readonly cursor?: string };
};

/** The log's position at the moment. @throws ApiError DATE_RANGE_INVALID for a future one, READ_MODEL_BEHIND */
export async function positionOfMoment(services: HttpServices, moment: string): Promise<string> {
  if (moment > isoTime(services.clock.now())) throw new ApiError('DATE_RANGE_INVALID');
  await waitUntilReached(services, [logMoments.name], await services.log.head());
  return positionAt(services.log, services.readModels, moment);
}

/**
 * One page of a list as it was known at a moment. The cursor holds the position, so that all pages are as of the same
 * one. @throws ApiError
 */
async function pageOfThen<D extends Document & { tenantId: string; companyId?: string }>(
  { services, reader, query }: Call,
  operationId: string,
  source: { readonly projection: Projection<D>; readonly category: Category },
  question: { readonly filter: Filter; readonly sort: Sort; readonly asOf: string },
): Promise<{ items: D[]; nextCursor: string | null; position: string }> {
  const { asOf, ...asked } = question;
  const { limit: _, cursor, ...rest } = query;
  const binding: CursorBinding = {
    tenantId: reader.tenantId,
    operationId: `${operationId} as of`,
    query: { ...rest, companies: reader.companies },
  };
  const [known, ...after] = cursor === undefined ? [] : openCursor(services.cursorKey, binding, cursor);
  const position = known === undefined ? await positionOfMoment(services, asOf) : String(known);
  await waitUntilReached(services, [source.projection.name], position);
  const limit = limitOf(query);
  try {
    const page = await pageAsOf(services.log, reader, {
      ...source,
      ...asked,
      limit,
      position,
      ...(cursor === undefined ? {} : { after }),
    });
    const nextCursor = page.after === null ? null : sealCursor(services.cursorKey, binding, [position, ...page.after]);
    return { items: page.items, nextCursor, position };
  } catch (error) {
    if (!(error instanceof MovingTooFast)) throw error;
    throw new ApiError('READ_MODEL_BEHIND', {}, { 'retry-after': '1' });
  }
}

/** {@link pageOf}, or {@link pageOfThen} for a moment in the past; then with the position used. @throws ApiError */
export async function pageNowOrThen<D extends Document & { tenantId: string; companyId?: string }>(
  call: Call & { readonly query: { readonly asOf?: string } },
  operationId: string,
  source: { readonly projection: Projection<D>; readonly category: Category },
  question: { readonly filter: Filter; readonly sort: Sort },
): Promise<{ items: D[]; nextCursor: string | null; position?: string }> {
  const { asOf } = call.query;
  if (asOf === undefined) return pageOf(call, operationId, source.projection, question);
  return pageOfThen(call, operationId, source, { ...question, asOf });
}
