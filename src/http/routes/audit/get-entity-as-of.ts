import { logMoments } from '../../../projections/log-moments.ts';
import { operation } from '../../core/operation.ts';
import { logPosition, moment } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { entityParams, openEntity } from './entities.ts';
import { oneOf, positionOf } from './then.ts';

export const getEntityAsOfOperation = operation({
  id: 'getEntityAsOf',
  method: 'get',
  path: '/banks/audit/history/{entityType}/{id}/as-of',
  tag: 'Audit',
  summary: 'One entity as it was at a moment or position',
  description:
    '`entity` is null if it did not exist yet. Values derived from other streams, such as the health of a ' +
    'connection from its syncs, are ' +
    'omitted.',
  access: 'audit:read',
  costly: true,
  params: entityParams,
  notFound: 'ENTITY_NOT_FOUND',
  query: z.strictObject({ at: moment.optional(), position: logPosition.optional() }),
  result: z
    .strictObject({
      entityType: z.string(),
      id: z.string(),
      logPosition: z.string(),
      revision: z.int().nullable().openapi({ description: 'Revision of its last event up to then.' }),
      entity: z.record(z.string(), z.unknown()).nullable(),
    })
    .openapi('EntityThen'),
  errors: ['DATE_RANGE_INVALID'],
  reads: [logMoments],
  handle: async (call) => {
    const { entityType, id } = call.params;
    const asked = oneOf(call.query.at, call.query.position);
    const entity = await openEntity(call, call.params);
    const position = await positionOf(call.services, call.reader.tenantId, asked);
    const then = entity.fold();
    let revision: number | null = null;
    for await (const events of entity.events()) {
      const counted = events.filter((event) => event.position <= position);
      then.take(counted);
      revision = counted.at(-1)?.revision ?? revision;
      if (counted.length < events.length) break;
    }
    const result = { entityType, id, logPosition: position, revision, entity: then.shown() ?? null };
    return { status: 200, result };
  },
});
