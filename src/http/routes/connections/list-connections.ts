import { connections } from '../../../projections/connections.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { connectionResource, connectionSchema } from '../../resources/connection.ts';

export const listConnectionsOperation = operation({
  id: 'listConnections',
  method: 'get',
  path: '/banks/accounts',
  tag: 'Connections',
  summary: 'The bank connections, oldest first',
  access: 'connections:read',
  query: z.strictObject({ ...paging }),
  result: listOf(connectionSchema),
  reads: [connections],
  handle: async (call) => {
    const page = await pageOf(call, 'listConnections', connections, {
      filter: [],
      sort: [{ field: 'createdAt', direction: 'asc' }],
    });
    const nowMs = call.services.clock.now();
    const items = page.items.map((connection) => connectionResource(connection, nowMs));
    return { status: 200, result: { ...page, items } };
  },
});
