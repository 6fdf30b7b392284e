import type { RecordedEvent } from '../events/event.ts';
import { type Category, parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import { EVERY_TYPE } from './log-moments.ts';
import type { Projection } from './projection.ts';

/** What the audit views call the things that have a history. */
export const ENTITY_TYPES = [
  'connection',
  'sync',
  'transaction',
  'rule',
  'run',
  'schedule',
  'api-key',
  'user',
  'company',
] as const;

export type EntityType = (typeof ENTITY_TYPES)[number];

export const categoryOf: Readonly<Record<EntityType, Category>> = {
  connection: 'bankConnection',
  sync: 'syncRun',
  transaction: 'bankTransaction',
  rule: 'transactionRule',
  run: 'ruleRun',
  schedule: 'schedule',
  'api-key': 'apiKey',
  user: 'user',
  company: 'company',
};

const entityTypeOf = new Map(Object.entries(categoryOf).map(([type, category]) => [category, type as EntityType]));

/**
 * Where in the log an event of a tenant stands and what can be asked for it. Its data stays in the log, which is asked
 * for it.
 */
export type HistoryDocument = Document & {
  readonly tenantId: string;
  readonly companyId?: string;
  readonly position: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Null for what the audit views have no name for, such as sessions. */
  readonly entityType: EntityType | null;
  readonly entityId: string;
  readonly stream: string;
  readonly revision: number;
  readonly actorId: string;
  readonly correlationId: string;
  readonly recordedAt: string;
};

function historyId(event: RecordedEvent): string {
  return documentId(event.metadata.tenantId, event.position);
}

export const history: Projection<HistoryDocument> = {
  name: 'history',
  version: 1,
  takes: EVERY_TYPE,
  keys: (event) => [historyId(event)],
  evolve(document, event, key) {
    if (document !== undefined) return document;
    const { tenantId, companyId, actor, correlationId } = event.metadata;
    const { category, id } = parseStreamName(event.stream);
    return {
      _id: key,
      tenantId,
      ...(companyId === null ? {} : { companyId }),
      position: event.position,
      eventId: event.id,
      eventType: event.type,
      entityType: entityTypeOf.get(category) ?? null,
      entityId: id,
      stream: event.stream,
      revision: event.revision,
      actorId: actor.id,
      correlationId,
      recordedAt: event.recordedAt,
    };
  },
  indexes: [
    { fields: ['tenantId', 'position', '_id', 'recordedAt'] },
    { fields: ['tenantId', 'eventType', 'position'] },
    { fields: ['tenantId', 'correlationId', 'position'] },
    { fields: ['tenantId', 'eventId'] },
  ],
};
