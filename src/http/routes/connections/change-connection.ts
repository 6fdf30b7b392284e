import { changeConnection } from '../../../commands/change-connection.ts';
import { defined } from '../../../shared/defined.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { connectionResource, connectionSchema } from '../../resources/connection.ts';
import { connectionAfter } from './connection-of.ts';

export const changeConnectionOperation = operation({
  id: 'changeConnection',
  method: 'patch',
  path: '/banks/accounts/{id}',
  tag: 'Connections',
  summary: 'Rename, disable or enable a connection; disabling stops its syncs',
  access: 'connections:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTION_NOT_FOUND',
  body: z.strictObject({ title: z.string().trim().min(1).max(120).optional(), status: z.boolean().optional() }),
  result: connectionSchema,
  errors: ['CONNECTION_ARCHIVED'],
  handle: async (call) => {
    const { services, params, body, context } = call;
    const wanted = defined({ title: body.title, enabled: body.status });
    const { events, position } = requireAccepted(await changeConnection(context, params.id, wanted));
    const connection = await connectionAfter(call, params.id, events);
    return { status: 200, result: connectionResource(connection, services.clock.now()), position };
  },
});
