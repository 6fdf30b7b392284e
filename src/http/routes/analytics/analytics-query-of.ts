import { analyticsQueries } from '../../../analytics/catalogue.ts';
import type { AnalyticsQuery } from '../../../analytics/query.ts';
import { ApiError } from '../../core/errors.ts';

const byId = new Map(analyticsQueries.map((query) => [query.id, query]));

/** @throws ApiError ANALYTICS_QUERY_UNKNOWN */
export function analyticsQueryOf(id: string): AnalyticsQuery {
  const query = byId.get(id);
  if (query === undefined) throw new ApiError('ANALYTICS_QUERY_UNKNOWN');
  return query;
}
