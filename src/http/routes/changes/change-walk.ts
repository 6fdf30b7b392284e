import type { Scope } from '../../../events/tenancy.ts';
import type { Caller } from '../../../identity/caller.ts';
import {
  CHANGE_TYPES,
  type ChangePage,
  type ChangePoint,
  type ChangeType,
  pageOfChanges,
  pointAt,
} from '../../../queries/changes.ts';
import type { Reader } from '../../../queries/reader.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { type ChangeFilter, FROM_THE_START, openChangeCursor } from '../../paging/change-cursor.ts';

/** A change needs the scope that its resource's own GET needs. */
const NEEDED: Readonly<Record<ChangeType, Scope>> = {
  assignment: 'transactions:read',
  connection: 'connections:read',
  rule: 'rules:read',
  run: 'rules:read',
  schedule: 'schedules:read',
  sync: 'connections:read',
  transaction: 'transactions:read',
};

/** Larger pages wait for their tenant's turn. */
const SMALL_PAGE = 200;

/** What a caller may and wants to see. */
export type ChangeWalk = {
  readonly services: HttpServices;
  readonly tenantId: string;
  readonly types: readonly ChangeType[];
  /** Null: all of the tenant. */
  readonly companies: readonly string[] | null;
  readonly filter: ChangeFilter;
};

type Asked = {
  readonly services: HttpServices;
  readonly caller: Caller;
  readonly reader: Reader;
  readonly query: { readonly types?: readonly ChangeType[]; readonly companies?: readonly string[] };
};

/** @throws ApiError PERMISSION_DENIED, COMPANY_NOT_FOUND */
export async function openChangeWalk({ services, caller, reader, query }: Asked): Promise<ChangeWalk> {
  const { tenantId } = reader;
  const may = (type: ChangeType): boolean => caller.scopes.includes(NEEDED[type]);
  const refused = (query.types ?? []).find((type) => !may(type));
  if (refused !== undefined) throw new ApiError('PERMISSION_DENIED', { required: NEEDED[refused] });
  const types = (query.types ?? CHANGE_TYPES).filter(may);
  if (types.length === 0) throw new ApiError('PERMISSION_DENIED', { required: NEEDED.transaction });
  for (const companyId of query.companies ?? []) {
    if (!(await services.isCompany(tenantId, companyId))) throw new ApiError('COMPANY_NOT_FOUND');
    if (reader.companies !== null && !reader.companies.includes(companyId)) {
      throw new ApiError('PERMISSION_DENIED', { required: 'company' });
    }
  }
  const companies = query.companies ?? reader.companies;
  return {
    services,
    tenantId,
    types,
    companies,
    // A type that is added later leaves the cursors of those who see all types valid.
    filter: { types: types.length === CHANGE_TYPES.length ? null : types, companies },
  };
}

/**
 * Where the walk starts: at the beginning, at the log's end, or at a cursor.
 * @throws ApiError CURSOR_INVALID, also for a cursor beyond the end of the log, which was then restored from a backup
 */
export async function startOfWalk({ services, tenantId, filter }: ChangeWalk, after?: string): Promise<ChangePoint> {
  if (after === undefined) return FROM_THE_START;
  if (after === 'now') return pointAt(await services.log.head());
  const point = openChangeCursor(services.cursorKey, tenantId, filter, after);
  if (!(await services.logReaches(point.position))) throw new ApiError('CURSOR_INVALID');
  return point;
}

export function nextChanges(
  { services, tenantId, types, companies }: ChangeWalk,
  options: { readonly after: ChangePoint; readonly limit: number; readonly signal: AbortSignal },
): Promise<ChangePage> {
  const { after, limit, signal } = options;
  const look = () => pageOfChanges(services.settledReads, { tenantId, companies }, { types, after, limit });
  // A company with few changes among many costs a pass over the others' places in an index.
  const isLight = limit <= SMALL_PAGE && (companies === null || after.position !== '');
  return isLight ? look() : services.costlyRequests.inTurn(tenantId, look, signal);
}
