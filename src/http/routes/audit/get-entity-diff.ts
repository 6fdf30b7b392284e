import { differencesBetween, inWords } from '../../../audit/differences.ts';
import { logMoments } from '../../../projections/log-moments.ts';
import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';
import { differenceSchema } from '../../resources/audited-event.ts';
import { entityParams, openEntity } from './entities.ts';
import { momentOrPosition, positionOf, refuseUpsideDown } from './then.ts';

export const getEntityDiffOperation = operation({
  id: 'getEntityDiff',
  method: 'get',
  path: '/banks/audit/history/{entityType}/{id}/diff',
  tag: 'Audit',
  summary: 'What changed in one entity between two moments or positions, field by field',
  access: 'audit:read',
  costly: true,
  params: entityParams,
  notFound: 'ENTITY_NOT_FOUND',
  query: z.strictObject({ from: momentOrPosition, to: momentOrPosition }),
  result: z
    .strictObject({
      entityType: z.string(),
      id: z.string(),
      from: z.strictObject({ logPosition: z.string() }),
      to: z.strictObject({ logPosition: z.string() }),
      changes: z.array(differenceSchema),
    })
    .openapi('EntityDiff'),
  errors: ['DATE_RANGE_INVALID'],
  reads: [logMoments],
  handle: async (call) => {
    const { entityType, id } = call.params;
    const entity = await openEntity(call, call.params);
    const from = await positionOf(call.services, call.reader.tenantId, call.query.from);
    const to = await positionOf(call.services, call.reader.tenantId, call.query.to);
    refuseUpsideDown(from, to);
    const [before, after] = [entity.fold(), entity.fold()];
    for await (const events of entity.events()) {
      before.take(events.filter((event) => event.position <= from));
      after.take(events.filter((event) => event.position <= to));
      if ((events.at(-1)?.position ?? '') > to) break;
    }
    const changes = differencesBetween(before.shown() ?? {}, after.shown() ?? {});
    const result = {
      entityType,
      id,
      from: { logPosition: from },
      to: { logPosition: to },
      changes: changes.map((one) => ({ ...one, text: inWords(one) })),
    };
    return { status: 200, result };
  },
});
