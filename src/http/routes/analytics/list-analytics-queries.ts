import { analyticsQueries } from '../../../analytics/catalogue.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { analyticsQueryResource, analyticsQuerySchema } from '../../resources/analytics.ts';

export const listAnalyticsQueriesOperation = operation({
  id: 'listAnalyticsQueries',
  method: 'get',
  path: '/banks/analytics/queries',
  tag: 'Analytics',
  summary: 'The available analytics queries, with their parameters and columns',
  access: 'analytics:read',
  result: listOf(analyticsQuerySchema),
  handle: async () => ({
    status: 200,
    result: { items: analyticsQueries.map(analyticsQueryResource), nextCursor: null },
  }),
});
