import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { analyticsQueryResource, analyticsQuerySchema } from '../../resources/analytics.ts';
import { analyticsQueryOf } from './analytics-query-of.ts';

export const getAnalyticsQueryOperation = operation({
  id: 'getAnalyticsQuery',
  method: 'get',
  path: '/banks/analytics/queries/{id}',
  tag: 'Analytics',
  summary: 'One analytics query',
  access: 'analytics:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'ANALYTICS_QUERY_UNKNOWN',
  result: analyticsQuerySchema,
  handle: async ({ params }) => ({ status: 200, result: analyticsQueryResource(analyticsQueryOf(params.id)) }),
});
