import { connections } from '../../../projections/connections.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { connectionResource, connectionSchema } from '../../resources/connection.ts';
import { connectionOf } from './connection-of.ts';

export const getConnectionOperation = operation({
  id: 'getConnection',
  method: 'get',
  path: '/banks/accounts/{id}',
  tag: 'Connections',
  summary: 'One bank connection',
  access: 'connections:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTION_NOT_FOUND',
  result: connectionSchema,
  reads: [connections],
  handle: async ({ services, reader, params }) => {
    const connection = await connectionOf(reader, params.id);
    return { status: 200, result: connectionResource(connection, services.clock.now()) };
  },
});
