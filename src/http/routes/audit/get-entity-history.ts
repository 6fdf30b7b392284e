import { differencesBetween, inWords } from '../../../audit/differences.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { limitOf, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { countedWhere } from '../../paging/count.ts';
import { openCursor, sealCursor } from '../../paging/cursor.ts';
import { auditedEvent, changedEventSchema } from '../../resources/audited-event.ts';
import { entityParams, entityViews, eventsOf } from './entities.ts';

export const getEntityHistoryOperation = operation({
  id: 'getEntityHistory',
  method: 'get',
  path: '/banks/audit/history/{entityType}/{id}',
  tag: 'Audit',
  summary: 'The events of one entity, oldest first, each with what it changed',
  access: 'audit:read',
  params: entityParams,
  notFound: 'ENTITY_NOT_FOUND',
  query: z.strictObject({ ...paging }),
  result: listOf(changedEventSchema),
  handle: async (call) => {
    const { entityType, id } = call.params;
    const { cursor } = call.query;
    const limit = limitOf(call.query);
    const binding = { tenantId: call.caller.tenantId, operationId: 'getEntityHistory', query: call.params };
    const [from = 0] = cursor === undefined ? [] : openCursor(call.services.cursorKey, binding, cursor);
    const fromRevision = Number(from);
    const events = await eventsOf(call, call.params);
    const next = fromRevision + limit;
    const stages = entityViews[entityType].stages(events.slice(0, next), fromRevision);
    const items = events.slice(fromRevision, next).map((event, nth) => {
      const changes = differencesBetween(stages[nth] ?? {}, stages[nth + 1] ?? {});
      return {
        ...auditedEvent(event, entityType, id),
        changes: changes.map((one) => ({ ...one, text: inWords(one) })),
      };
    });
    const nextCursor = next < events.length ? sealCursor(call.services.cursorKey, binding, [next]) : null;
    const counted = await countedWhere(call.query, async () => events.length);
    return { status: 200, result: { items, nextCursor, ...counted } };
  },
});
