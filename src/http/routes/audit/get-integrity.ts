import { checkTenant } from '../../../audit/check-tenant.ts';
import { lastSealOf } from '../../../audit/tenant-events.ts';
import { history } from '../../../projections/history.ts';
import { seals } from '../../../projections/seals.ts';
import { operation } from '../../core/operation.ts';
import { wholeNumber } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { instant } from '../../resources/instants.ts';
import { refusePartOfTenant } from './whole-tenant.ts';

const MOST_SEALS = 9_999_999;

export const getIntegrity = operation({
  id: 'getIntegrity',
  method: 'get',
  path: '/banks/audit/integrity',
  tag: 'Audit',
  summary: "Hold the tenant's events in the log against its seals",
  description:
    'Every hour, or every 10,000 events, what happened since the seal before is sealed: a Merkle root over the events (RFC 6962), signed with ' +
    'Ed25519 and chained to the seal before. One answer goes through 10 seals; `nextSeal` says where to go on. A fault names the first event that ' +
    'was changed, removed, added or moved.',
  access: 'audit:read',
  query: z.strictObject({ fromSeal: wholeNumber(1, MOST_SEALS).optional() }),
  result: z
    .strictObject({
      intact: z.boolean(),
      publicKey: z
        .string()
        .openapi({ description: 'Ed25519, raw, base64. Keep it: it tells the service’s seals from others.' }),
      lastSeal: z
        .strictObject({
          ordinal: z.int(),
          toPosition: z.string(),
          totalCount: z.int(),
          root: z.string(),
          sealedAt: instant,
        })
        .nullable(),
      checked: z.strictObject({ fromSeal: z.int(), toSeal: z.int(), events: z.int() }),
      nextSeal: z.int().nullable(),
      fault: z
        .strictObject({
          kind: z.enum(['changed', 'removed', 'added', 'moved', 'seal', 'cut']),
          message: z.string(),
          index: z.int().openapi({ description: 'Among the tenant’s events in log order, from 0.' }),
          eventId: z.string().nullable(),
        })
        .nullable(),
    })
    .openapi('Integrity'),
  reads: [history, seals],
  handle: async ({ services, caller, query }) => {
    refusePartOfTenant(caller);
    const { publicKey } = services.sealingKey;
    const check = await checkTenant(services, caller.tenantId, query.fromSeal ?? 1, publicKey);
    const last = await lastSealOf(services.readModels, caller.tenantId);
    const { checkedFrom: fromSeal, checkedTo: toSeal, events, nextSeal, fault } = check;
    return {
      status: 200,
      result: {
        intact: fault === null,
        publicKey,
        lastSeal:
          last === undefined
            ? null
            : {
                ordinal: last.ordinal,
                toPosition: last.toPosition,
                totalCount: last.totalCount,
                root: last.root,
                sealedAt: last.sealedAt,
              },
        checked: { fromSeal, toSeal, events },
        nextSeal,
        fault,
      },
    };
  },
});
