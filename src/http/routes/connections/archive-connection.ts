import { archiveConnection } from '../../../commands/change-connection.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { connectionResource, connectionSchema } from '../../resources/connection.ts';
import { connectionAfter } from './connection-of.ts';

export const archiveConnectionOperation = operation({
  id: 'archiveConnection',
  method: 'post',
  path: '/banks/accounts/{id}/archive',
  tag: 'Connections',
  summary: 'Archive a connection permanently; its credentials are destroyed, its history stays',
  access: 'connections:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTION_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: connectionSchema,
  handle: async (call) => {
    const { services, params, context } = call;
    const { events, position } = requireAccepted(await archiveConnection(context, params.id));
    // Destroyed after the fact is recorded, and again with every repetition, which also completes it after a crash.
    await services.vault.destroy(context.tenantId, params.id);
    const connection = await connectionAfter(call, params.id, events);
    return { status: 200, result: connectionResource(connection, services.clock.now()), position };
  },
});
