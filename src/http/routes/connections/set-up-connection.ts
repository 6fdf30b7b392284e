import { loadConnection, requestSetup } from '../../../commands/change-connection.ts';
import type { EventData } from '../../../events/registry.ts';
import { streamName } from '../../../log/streams.ts';
import { connections } from '../../../projections/connections.ts';
import { asLeftBy, setupOf } from '../../../queries/ended-attempt.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { pollUntil } from '../../core/poll-until.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { connectionResource, connectionSchema } from '../../resources/connection.ts';
import { bankOf, connectionAfter } from './connection-of.ts';
import { namedWork } from './named-work.ts';

export const setUpConnectionOperation = operation({
  id: 'setUpConnection',
  method: 'post',
  path: '/banks/accounts/{id}/setup',
  tag: 'Connections',
  summary: 'Find the physical accounts and currencies of a connection',
  description:
    'A setup that fails while `Prefer: wait` waits for it is answered with 200, `x-sync-status: failed` and its error ' +
    'in `syncHealth`. The answer names the setup in `location` and `x-sync-id`. ' +
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
    const stream = streamName('bankConnection', context.tenantId, params.id);
    if (waitSeconds !== null && setupId !== null) {
      const done = await pollUntil(services, waitSeconds, signal, async () => {
        const connection = await reader.get(connections, params.id);
        // Another setup may have been asked for since, so the connection's events say how this one ended.
        if (connection === undefined || connection.setupId === setupId) return null;
        const setup = setupOf(await services.log.readStreamPositions(stream), setupId);
        const isBehind = position !== null && connection._position < position;
        return setup === undefined || setup.endedAt === null || isBehind ? null : { connection, setup };
      });
      if (done !== null) {
        const { connection, setup } = done;
        const headers = { ...namedWork(params.id, setup), 'preference-applied': `wait=${waitSeconds}` };
        const result = connectionResource(asLeftBy(connection, setup, null), services.clock.now());
        return { status: 200, result, position: connection._position, headers };
      }
    }
    const connection = await connectionAfter(call, params.id, events);
    const setup = setupId === null ? undefined : setupOf(await services.log.readStreamPositions(stream), setupId);
    const headers = setup === undefined ? {} : namedWork(params.id, setup);
    return { status: 202, result: connectionResource(connection, services.clock.now()), position, headers };
  },
});
