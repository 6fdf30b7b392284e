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

export const getIntegrityOperation = operation({
  id: 'getIntegrity',
  method: 'get',
  path: '/banks/audit/integrity',
  tag: 'Audit',
  summary: "Check the tenant's events in the log against its seals",
  description:
    'Every hour, or every 10,000 events, the events since the previous seal are sealed: a Merkle root over them ' +
    '(RFC 6962), signed with ' +
    'Ed25519 and chained to the previous seal. One answer checks 10 seals; continue with `nextSeal`. A fault names ' +
    'the first event that ' +
    'was changed, removed, added or moved.',
  costly: true,
  access: 'audit:read',
  query: z.strictObject({ fromSeal: wholeNumber(1, MOST_SEALS).optional() }),
  result: z
    .strictObject({
      intact: z.boolean(),
      publicKey: z
        .string()
        .openapi({ description: 'Ed25519 public key, raw, base64. Keep it to recognise the service’s own seals.' }),
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
          index: z.int().openapi({ description: 'Index among the tenant’s events in log order, from 0.' }),
          eventId: z.string().nullable(),
        })
        .nullable(),
    })
    .openapi('Integrity'),
  reads: [history, seals],
  handle: async ({ services, caller, query, signal }) => {
    refusePartOfTenant(caller);
    const { publicKey } = services.sealingKey;
    const { log, readModels, costlyRequests } = services;
    const pace = async <T>(read: () => Promise<T>): Promise<T> => {
      signal.throwIfAborted();
      return costlyRequests.pace(caller.tenantId, read);
    };
    // Without a seal there is nothing to compare, and the answer would say so of a log that is away.
    await log.ping();
    const check = await checkTenant({ log, readModels, pace }, caller.tenantId, query.fromSeal ?? 1, publicKey);
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
