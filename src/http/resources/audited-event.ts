import { titleOf } from '../../audit/event-titles.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { ENTITY_TYPES, type EntityType } from '../../projections/history.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

const fields = {
  eventId: z.string(),
  eventType: z.string(),
  title: z.string().openapi({ description: 'What the event means, in words.' }),
  entityType: z.enum(ENTITY_TYPES).nullable(),
  entityId: z.string(),
  companies: z.string().nullable(),
  revision: z.int().min(0).openapi({ description: 'Its index among the events of its entity, from 0.' }),
  position: z.string().openapi({ description: 'Its position in the whole log.' }),
  recordedAt: instant,
  actor: z.strictObject({ type: z.enum(['api-key', 'user', 'operator', 'system']), id: z.string() }),
  correlationId: z.string().openapi({ description: 'The request or run that caused it.' }),
  causationId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
};

export const auditedEventSchema = z.strictObject(fields).openapi('AuditedEvent');

export const differenceSchema = z
  .strictObject({ path: z.string(), before: z.unknown().optional(), after: z.unknown().optional(), text: z.string() })
  .openapi('Difference');

export const changedEventSchema = z
  .strictObject({ ...fields, changes: z.array(differenceSchema) })
  .openapi('AuditedChange');

export function auditedEvent(
  event: RecordedEvent,
  entityType: EntityType | null,
  entityId: string,
): z.input<typeof auditedEventSchema> {
  const { id: eventId, type: eventType, revision, position, recordedAt, metadata, data } = event;
  return {
    eventId,
    eventType,
    title: titleOf(eventType),
    entityType,
    entityId,
    companies: metadata.companyId,
    revision,
    position,
    recordedAt,
    actor: metadata.actor,
    correlationId: metadata.correlationId,
    causationId: metadata.causationId,
    data: data as Record<string, unknown>,
  };
}
