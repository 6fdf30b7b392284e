import { syncRuns } from '../../../projections/sync-runs.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { syncResource, syncSchema } from '../../resources/sync.ts';

export const getSyncOperation = operation({
  id: 'getSync',
  method: 'get',
  path: '/banks/accounts/{id}/syncs/{syncId}',
  tag: 'Connections',
  summary: 'One sync: what requested it, its windows, pages, counts and error',
  access: 'connections:read',
  params: z.strictObject({ id: identifier, syncId: identifier }),
  notFound: 'SYNC_NOT_FOUND',
  result: syncSchema,
  reads: [syncRuns],
  handle: async ({ reader, params }) => {
    const sync = await reader.get(syncRuns, params.syncId);
    if (sync?.accountId !== params.id) throw new ApiError('SYNC_NOT_FOUND');
    return { status: 200, result: syncResource(sync) };
  },
});
