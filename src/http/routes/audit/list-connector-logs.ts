import { OPERATIONS, OUTCOMES } from '../../../providers/connector-logs.ts';
import { defined } from '../../../shared/defined.ts';
import { listOf } from '../../core/envelope.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier, moment, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageBy } from '../../paging/page.ts';
import { connectorLogResource, connectorLogSchema } from '../../resources/connector-log.ts';

export const listConnectorLogsOperation = operation({
  id: 'listConnectorLogs',
  method: 'get',
  path: '/banks/audit/connector-logs',
  tag: 'Audit',
  summary: 'Requests to banks and their answers of the last 90 days, newest first',
  description: 'Without body texts; these are in the single record.',
  access: 'audit:read',
  query: z.strictObject({
    accountId: identifier.optional(),
    syncId: identifier.optional(),
    operation: z.enum(OPERATIONS).optional(),
    outcome: z.enum(OUTCOMES).optional(),
    from: moment.optional().openapi({ description: 'Requests sent at or after this moment.' }),
    to: moment.optional().openapi({ description: 'Sent before.' }),
    ...paging,
  }),
  result: listOf(connectorLogSchema),
  errors: ['DATE_RANGE_INVALID'],
  handle: async (call) => {
    const { services, reader, query } = call;
    const { accountId, syncId, operation: asked, outcome, from, to } = query;
    if (from !== undefined && to !== undefined && from > to) throw new ApiError('DATE_RANGE_INVALID');
    const filter = defined({ accountId, syncId, operation: asked, outcome, from, to });
    const page = await pageBy(
      call,
      'listConnectorLogs',
      (part) => services.connectorLogs.page(reader, { filter, ...part }),
      (most) => services.connectorLogs.count(reader, filter, most),
    );
    const items = page.items.map((record) => connectorLogResource(record, false));
    return { status: 200, result: { ...page, items } };
  },
});
