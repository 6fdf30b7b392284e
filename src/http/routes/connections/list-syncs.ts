import { syncRuns } from '../../../projections/sync-runs.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { identifier, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { syncResource, syncSchema } from '../../resources/sync.ts';
import { connectionOf } from './connection-of.ts';

export const listSyncsOperation = operation({
  id: 'listSyncs',
  method: 'get',
  path: '/banks/accounts/{id}/syncs',
  tag: 'Connections',
  summary: 'The syncs of a connection, newest first',
  access: 'connections:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTION_NOT_FOUND',
  query: z.strictObject({ ...paging }),
  result: listOf(syncSchema),
  reads: [syncRuns],
  handle: async (call) => {
    const connection = await connectionOf(call.reader, call.params.id);
    const page = await pageOf(call, `listSyncs/${connection.id}`, syncRuns, {
      filter: [{ field: 'accountId', op: 'eq', value: connection.id }],
      sort: [{ field: 'ordinal', direction: 'desc' }],
    });
    return { status: 200, result: { ...page, items: page.items.map(syncResource) } };
  },
});
