import { streamName } from '../../../log/streams.ts';
import { syncRuns } from '../../../projections/sync-runs.ts';
import { setupOf } from '../../../queries/ended-attempt.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { setupResource, syncResource, syncSchema } from '../../resources/sync.ts';

export const getSyncOperation = operation({
  id: 'getSync',
  method: 'get',
  path: '/banks/accounts/{id}/syncs/{syncId}',
  tag: 'Connections',
  summary: 'One sync or setup: what requested it, its windows, pages, counts and error',
  description:
    'The header `x-log-position` is the position of the last change of the sync. Everything that a completed sync did ' +
    'is before that position: a read that waits for it finds the rows and the connection as the sync left them.',
  access: 'connections:read',
  params: z.strictObject({ id: identifier, syncId: identifier }),
  notFound: 'SYNC_NOT_FOUND',
  result: syncSchema,
  reads: [syncRuns],
  handle: async ({ services, reader, params: { id, syncId } }) => {
    const sync = await reader.get(syncRuns, syncId);
    if (sync?.accountId === id) return { status: 200, result: syncResource(sync), position: sync._position };
    const { tenantId } = reader;
    const events = await services.log.readStreamPositions(streamName('bankConnection', tenantId, id));
    const setup = setupOf(events, syncId);
    if (setup === undefined || !reader.sees({ _id: id, _position: '', tenantId, companyId: setup.companyId })) {
      throw new ApiError('SYNC_NOT_FOUND');
    }
    return { status: 200, result: setupResource({ ...setup, accountId: id }), position: setup._position };
  },
});
