import { differencesBetween, inWords } from '../../../audit/differences.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { limitOf, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { countedWhere } from '../../paging/count.ts';
import { openCursor, sealCursor } from '../../paging/cursor.ts';
import { auditedEvent, changedEventSchema } from '../../resources/audited-event.ts';
import { entityParams, openEntity } from './entities.ts';

export const getEntityHistoryOperation = operation({
  id: 'getEntityHistory',
  method: 'get',
  path: '/banks/audit/history/{entityType}/{id}',
  tag: 'Audit',
  summary: 'The events of one entity, oldest first, each with what it changed',
  access: 'audit:read',
  costly: true,
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
    const entity = await openEntity(call, call.params);
    const seen = entity.fold();
    const items: z.output<typeof changedEventSchema>[] = [];
    let hasMore = false;
    for await (const events of entity.events()) {
      const onPage = events.filter(({ revision }) => revision >= fromRevision);
      seen.take(events.slice(0, events.length - onPage.length));
      for (const event of onPage.slice(0, limit - items.length)) {
        const before = seen.shown() ?? {};
        seen.take([event]);
        const changes = differencesBetween(before, seen.shown() ?? {});
        const described = changes.map((one) => ({ ...one, text: inWords(one) }));
        items.push({ ...auditedEvent(event, entityType, id), changes: described });
      }
      hasMore = (events.at(-1)?.revision ?? 0) >= fromRevision + limit;
      if (hasMore) break;
    }
    const nextCursor = hasMore ? sealCursor(call.services.cursorKey, binding, [fromRevision + limit]) : null;
    const counted = await countedWhere(call.query, entity.count);
    return { status: 200, result: { items, nextCursor, ...counted } };
  },
});
