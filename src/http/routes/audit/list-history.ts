import pLimit from 'p-limit';
import { ENTITY_TYPES, history } from '../../../projections/history.ts';
import { logMoments } from '../../../projections/log-moments.ts';
import { countHistory, firstOfHistory } from '../../../queries/history.ts';
import { isoTime } from '../../../shared/clock.ts';
import { defined } from '../../../shared/defined.ts';
import { documentId } from '../../../shared/ids.ts';
import { listOf } from '../../core/envelope.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { operation } from '../../core/operation.ts';
import { identifier, moment, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageBy } from '../../paging/page.ts';
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
    const { services, query, reader } = call;
    const { tenantId } = reader;
    const { from, to, actor, entityType, entityId, eventType, correlationId } = query;
    if (from !== undefined && to !== undefined && from > to) throw new ApiError('DATE_RANGE_INVALID');
    const asked = {
      tenantId,
      companies: reader.companies,
      direction: 'desc',
      where: defined({ entityType, entityId, eventType, correlationId, actorId: actor }),
      ...(from !== undefined && { after: await positionBefore(services, tenantId, from) }),
      ...(to !== undefined && { upTo: await positionBefore(services, tenantId, to) }),
    } as const;
    const listed = await services.readModels.readable(history);
    const pace = <T>(read: () => Promise<T>): Promise<T> => services.costlyRequests.pace(tenantId, read);
    const page = await pageBy(
      call,
      'listHistory',
      async ({ limit, after: [cursor] = [] }) => {
        const question = { ...asked, ...(cursor !== undefined && { before: String(cursor) }) };
        const entries = await firstOfHistory(listed, question, limit + 1, pace);
        const items = entries.slice(0, limit);
        const last = items.at(-1);
        if (entries.length <= limit || last === undefined) return { items, after: null };
        // An instance of a former release continues after an id as well.
        return { items, after: [last.position, documentId(tenantId, last.position)] };
      },
      (most) => countHistory(listed, asked, { most, pace }),
    );
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
