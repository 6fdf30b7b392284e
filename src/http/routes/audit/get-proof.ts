import { proveEvent } from '../../../audit/prove-event.ts';
import { sealEvents } from '../../../events/seal.ts';
import { history } from '../../../projections/history.ts';
import { seals } from '../../../projections/seals.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';

const hex = z.string().regex(/^[0-9a-f]{64}$/);

export const getProofOperation = operation({
  id: 'getProof',
  method: 'get',
  path: '/banks/audit/proof',
  tag: 'Audit',
  summary: 'Prove that a seal covers an event',
  description:
    'The leaf is SHA-256 of a zero byte and the canonical JSON (RFC 8785) of `event`; the audit path (RFC 6962, ' +
    '2.1.1) leads from it to `seal.root`. ' +
    'The signature covers the canonical JSON of the seal without `signature`.',
  costly: true,
  access: 'audit:read',
  query: z.strictObject({ eventId: identifier }),
  result: z
    .strictObject({
      event: z.strictObject({
        id: z.string(),
        type: z.string(),
        stream: z.string(),
        revision: z.int(),
        recordedAt: z.string(),
        metadata: z.record(z.string(), z.unknown()),
        data: z.record(z.string(), z.unknown()),
      }),
      position: z.string(),
      leafHash: hex,
      leafIndex: z.int().min(0),
      treeSize: z.int().min(1),
      auditPath: z.array(hex),
      seal: sealEvents.TenantSealed.schema,
    })
    .openapi('EventProof'),
  errors: ['ENTITY_NOT_FOUND', 'EVENT_NOT_SEALED'],
  reads: [history, seals],
  handle: async ({ services, reader, query }) => {
    const proof = await proveEvent(services, reader, query.eventId);
    if (proof === 'unknown') throw new ApiError('ENTITY_NOT_FOUND');
    if (proof === 'unsealed') throw new ApiError('EVENT_NOT_SEALED');
    const { event, auditPath, ...rest } = proof;
    const { metadata, data } = event as { metadata: Record<string, unknown>; data: Record<string, unknown> };
    return { status: 200, result: { ...rest, event: { ...event, metadata, data }, auditPath: [...auditPath] } };
  },
});
