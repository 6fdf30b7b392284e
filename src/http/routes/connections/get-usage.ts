import { z } from '@hono/zod-openapi';
import { connectionDays } from '../../../projections/connection-days.ts';
import { listOf } from '../../envelope.ts';
import { operation } from '../../operation.ts';
import { pageOf } from '../../page.ts';
import { identifier, paging } from '../../parameters.ts';
import { bankOf, connectionOf } from './connection-of.ts';

const usageSchema = z
  .strictObject({
    day: z.string(),
    syncs: z.int(),
    requests: z.int(),
    fetched: z.int(),
    inserted: z.int(),
    duplicates: z.int(),
    errors: z.int(),
    quotaLeft: z
      .int()
      .nullable()
      .openapi({ description: 'Syncs the bank still allowed that day; null without a quota.' }),
  })
  .openapi('ConnectionUsage');

export const getUsage = operation({
  id: 'getConnectionUsage',
  method: 'get',
  path: '/banks/accounts/{id}/usage',
  tag: 'Connections',
  summary: 'What a connection used, per UTC day, newest first',
  access: 'connections:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTION_NOT_FOUND',
  query: z.strictObject({ ...paging }),
  result: listOf(usageSchema),
  reads: [connectionDays],
  handle: async (call) => {
    const { house, reader, params } = call;
    const connection = await connectionOf(reader, params.id);
    const { syncsPerDay } = bankOf(house, connection.bankCode).limits;
    const page = await pageOf(call, `getConnectionUsage/${connection.id}`, connectionDays, {
      filter: [{ field: 'accountId', op: 'eq', value: connection.id }],
      sort: [{ field: 'day', direction: 'desc' }],
    });
    const items = page.items.map(({ day, syncs, requests, fetched, inserted, duplicates, errors }) => {
      const quotaLeft = syncsPerDay === null ? null : Math.max(0, syncsPerDay - syncs);
      return { day, syncs, requests, fetched, inserted, duplicates, errors, quotaLeft };
    });
    return { status: 200, result: { items, nextCursor: page.nextCursor } };
  },
});
