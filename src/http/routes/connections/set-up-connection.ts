import { loadConnection, requestSetup } from '../../../commands/change-connection.ts';
import type { EventData } from '../../../events/registry.ts';
import { connections } from '../../../projections/connections.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { pollUntil } from '../../core/poll-until.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { connectionResource, connectionSchema } from '../../resources/connection.ts';
import { bankOf, connectionAfter } from './connection-of.ts';

export const setUpConnectionOperation = operation({
  id: 'setUpConnection',
  method: 'post',
  path: '/banks/accounts/{id}/setup',
  tag: 'Connections',
  summary: 'Find the physical accounts and currencies of a connection',
  description:
    'May be repeated; a sub-account keeps its `subAccountKey`. While a setup runs, no second one starts, and ' +
    '`Prefer: wait` waits for the running one.',
  access: 'connections:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTION_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  prefersWait: true,
  result: connectionSchema,
  successes: [202, 200],
  errors: ['CONNECTION_ARCHIVED', 'CONNECTION_DISABLED', 'CREDENTIALS_MISSING', 'BANK_NOT_SUPPORTED'],
  handle: async (call) => {
    const { services, params, context, reader, waitSeconds, signal } = call;
    const before = await loadConnection(context, params.id);
    if (before.state.opened === null) throw new ApiError('CONNECTION_NOT_FOUND');
    const { bankCode, environment } = before.state.opened;
    const required = bankOf(services, bankCode).credentials[environment]?.jsonSchema.required ?? [];
    const needsCredentials = required.length > 0;
    const { events, appended, state, position } = requireAccepted(
      await requestSetup(context, params.id, needsCredentials),
    );
    const own = appended[0]?.data as EventData<'ConnectionSetupRequested'> | undefined;
    const setupId = own?.setupId ?? state.setupId;
    if (waitSeconds !== null && setupId !== null) {
      const done = await pollUntil(services, waitSeconds, signal, async () => {
        const connection = await reader.get(connections, params.id);
        return connection?.lastSetupId === setupId ? connection : null;
      });
      if (done !== null) {
        const headers = { 'preference-applied': `wait=${waitSeconds}` };
        return {
          status: 200,
          result: connectionResource(done, services.clock.now()),
          position: done._position,
          headers,
        };
      }
    }
    const connection = await connectionAfter(call, params.id, events);
    return { status: 202, result: connectionResource(connection, services.clock.now()), position };
  },
});
