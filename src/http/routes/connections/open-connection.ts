import { openConnection } from '../../../commands/open-connection.ts';
import { connections } from '../../../projections/connections.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { connectionResource, connectionSchema } from '../../resources/connection.ts';

export const openConnectionOperation = operation({
  id: 'openConnection',
  method: 'post',
  path: '/banks/accounts',
  tag: 'Connections',
  summary: 'Add a bank connection to a company',
  adds: 'connections',
  access: 'connections:write',
  body: z.strictObject({
    bankCode: z.string().min(1).max(64),
    title: z.string().trim().min(1).max(120),
    environment: z.enum(['demo', 'production']).default('demo'),
  }),
  result: connectionSchema,
  successes: [201],
  errors: ['BANK_NOT_SUPPORTED'],
  handle: async ({ services, body, context }) => {
    const bank = services.providers.get(body.bankCode)?.description;
    if (bank === undefined || !bank.environments.includes(body.environment)) throw new ApiError('BANK_NOT_SUPPORTED');
    const { events, position } = requireAccepted(await openConnection(context, body));
    const result = connectionResource(documentAfter(connections, events), services.clock.now());
    return { status: 201, result, position };
  },
});
