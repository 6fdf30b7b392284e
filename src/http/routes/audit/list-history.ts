import pLimit from 'p-limit';
import { ENTITY_TYPES, history } from '../../../projections/history.ts';
import { logMoments } from '../../../projections/log-moments.ts';
import type { Condition } from '../../../readstore/read-store.ts';
import { isoTime } from '../../../shared/clock.ts';
import { listOf } from '../../core/envelope.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { operation } from '../../core/operation.ts';
import { identifier, moment, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { positionOfMoment } from '../../paging/page-as-of.ts';
import { auditedEvent, auditedEventSchema } from '../../resources/audited-event.ts';

const READS_AT_ONCE = 16;

export const listHistoryOperation = operation({
  id: 'listHistory',
  method: 'get',
  path: '/banks/audit/history',
  tag: 'Audit',
  summary: "The tenant's events, newest first",
  costly: ({ entityId, actor }) => entityId !== undefined || actor !== undefined,
  access: 'audit:read',
  query: z.strictObject({
    entityType: z.enum(ENTITY_TYPES).optional().openapi({ description: 'Only about this kind of entity.' }),
    entityId: identifier.optional(),
    eventType: z.string().min(1).max(100).optional(),
    actor: identifier.optional().openapi({ description: 'The id of an API key, a user or a worker.' }),
    correlationId: identifier.optional(),
    from: moment.optional(),
    to: moment.optional(),
    ...paging,
  }),
  result: listOf(auditedEventSchema),
  errors: ['DATE_RANGE_INVALID'],
  reads: [history, logMoments],
  handle: async (call) => {
    const { services, query } = call;
    const { tenantId } = call.reader;
    const { from, to, actor, entityType, entityId, eventType, correlationId } = query;
    if (from !== undefined && to !== undefined && from > to) throw new ApiError('DATE_RANGE_INVALID');
    const filter: Condition[] = Object.entries({
      entityType,
      entityId,
      eventType,
      correlationId,
      actorId: actor,
    }).flatMap(([field, value]): Condition[] => (value === undefined ? [] : [{ field, op: 'eq', value }]));
    if (from !== undefined)
      filter.push({ field: 'position', op: 'gt', value: await positionBefore(services, tenantId, from) });
    if (to !== undefined)
      filter.push({ field: 'position', op: 'lte', value: await positionBefore(services, tenantId, to) });
    const page = await pageOf(call, 'listHistory', history, {
      filter,
      sort: [{ field: 'position', direction: 'desc' }],
    });
    const atOnce = pLimit(READS_AT_ONCE);
    const items = await Promise.all(
      page.items.map((entry) =>
        atOnce(async () => {
          const [event] = await services.log.readStreamPositions(entry.stream, {
            fromRevision: entry.revision,
            limit: 1,
          });
          return event === undefined ? [] : [auditedEvent(event, entry.entityType, entry.entityId)];
        }),
      ),
    );
    return { status: 200, result: { ...page, items: items.flat() } };
  },
});

/** Of the tenant's last event before the moment; for a future one, of its last event. */
function positionBefore(services: HttpServices, tenantId: string, bound: string): Promise<string> {
  const lastMs = Math.min(Date.parse(bound) - 1, services.clock.now());
  return positionOfMoment(services, tenantId, isoTime(lastMs));
}
