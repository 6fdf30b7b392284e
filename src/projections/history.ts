import type { RecordedEvent } from '../events/event.ts';
import { type Category, parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import { EVERY_TYPE } from './log-moments.ts';
import type { Projection } from './projection.ts';

/** The entity types of the audit views. */
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
  'webhook',
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
  webhook: 'webhook',
};

const entityTypeOf = new Map(Object.entries(categoryOf).map(([type, category]) => [category, type as EntityType]));

/** The log position of each event of a tenant, and the fields it can be searched by. Its data is read from the log. */
export type HistoryDocument = Document & {
  readonly tenantId: string;
  readonly companyId?: string;
  readonly position: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Null for streams that are not an entity of the audit views, such as sessions. */
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
  isReadOften: true,
  version: 2,
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
