import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { connectorLogResource, connectorLogSchema } from '../../resources/connector-log.ts';

export const getConnectorLogOperation = operation({
  id: 'getConnectorLog',
  method: 'get',
  path: '/banks/audit/connector-logs/{id}',
  tag: 'Audit',
  summary: 'One request to a bank and its answer, masked',
  access: 'audit:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTOR_LOG_NOT_FOUND',
  result: connectorLogSchema,
  handle: async ({ services, reader, params }) => {
    const record = await services.connectorLogs.get(reader, params.id);
    if (record === undefined) throw new ApiError('CONNECTOR_LOG_NOT_FOUND');
    return { status: 200, result: connectorLogResource(record, true) };
  },
});
