import type { RecordedEvent } from '../events/event.ts';
import { type Category, isStreamId, parseStreamName, streamName } from '../log/streams.ts';
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

/** The place of one event of a tenant in the log, and what it can be searched by. Its data is read from the log. */
export type HistoryEntry = {
  readonly tenantId: string;
  readonly companyId: string | null;
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

/** What entries may be searched by. */
export type EntryFilter = Partial<
  Pick<HistoryEntry, 'entityType' | 'entityId' | 'eventType' | 'actorId' | 'correlationId'>
>;

/**
 * The events of one tenant in one block of log positions, as a table: each list whose name ends in `Ends`, `Starts`,
 * `Places` or is `revisions` is a column, with one value for each event in log order. A `…Places` column names, by its
 * index, one of the values that stand only once in the block ({@link entriesOf}; ADR 0055).
 */
export type HistoryDocument = Document & {
  readonly tenantId: string;
  /** The beginning that its positions have in common ({@link blockOf}). */
  readonly block: string;
  /** The latest moment at which one of its events was recorded; the clock of a log may go back. */
  readonly newestAt: string;
  readonly eventTypes: readonly string[];
  readonly correlationIds: readonly string[];
  readonly actorIds: readonly string[];
  readonly companyIds: readonly string[];
  /** `category/id` of streams that belong to the tenant by their name, else the whole name. */
  readonly streams: readonly string[];
  /** When events were recorded: those of one append have the same moment. */
  readonly moments: readonly string[];
  /** What follows the block in each position. */
  readonly positionEnds: readonly string[];
  readonly eventIdStarts: readonly string[];
  /** By which an event is found: the end of an id is random in ids of every version in use. */
  readonly eventIdEnds: readonly string[];
  readonly revisions: readonly number[];
  readonly eventTypePlaces: readonly number[];
  readonly correlationPlaces: readonly number[];
  readonly actorPlaces: readonly number[];
  /** Null for an event of no company. */
  readonly companyPlaces: readonly (number | null)[];
  readonly streamPlaces: readonly number[];
  readonly momentPlaces: readonly number[];
};

/** Of a log that counts its events: 100 of them. */
const COUNTED_DIGITS = 2;
/** Of a log whose positions are offsets in bytes: 100,000 bytes, in which events of 300 bytes are some 330. */
const OFFSET_DIGITS = 5;

/**
 * The block that a position belongs to: its first part without the last digits. Blocks are ordered as the positions in
 * them are.
 */
export function blockOf(position: string): string {
  const dash = position.indexOf('-');
  return dash < 0 ? position.slice(0, -COUNTED_DIGITS) : position.slice(0, Math.max(0, dash - OFFSET_DIGITS));
}

const ID_END = 8;

/** By which {@link HistoryDocument} finds an event; another one may have the same. */
export function eventIdEnd(eventId: string): string {
  return eventId.slice(-ID_END);
}

function blockId(event: RecordedEvent): string {
  return documentId(event.metadata.tenantId, blockOf(event.position));
}

function emptyBlock(_id: string, tenantId: string, position: string): Omit<HistoryDocument, '_position'> {
  return {
    _id,
    tenantId,
    block: blockOf(position),
    newestAt: '',
    eventTypes: [],
    correlationIds: [],
    actorIds: [],
    companyIds: [],
    streams: [],
    moments: [],
    positionEnds: [],
    eventIdStarts: [],
    eventIdEnds: [],
    revisions: [],
    eventTypePlaces: [],
    correlationPlaces: [],
    actorPlaces: [],
    companyPlaces: [],
    streamPlaces: [],
    momentPlaces: [],
  };
}

type Column<Value> = readonly Value[];
type Filling = { -readonly [Field in keyof HistoryDocument]: Filled<HistoryDocument[Field]> };
type Filled<Field> = Field extends Column<infer Value> ? Value[] : Field;

/** The block with columns of its own, to which events may be added. */
function copied(block: Omit<HistoryDocument, '_position'>): Omit<Filling, '_position'> {
  return {
    _id: block._id,
    tenantId: block.tenantId,
    block: block.block,
    newestAt: block.newestAt,
    eventTypes: [...block.eventTypes],
    correlationIds: [...block.correlationIds],
    actorIds: [...block.actorIds],
    companyIds: [...block.companyIds],
    streams: [...block.streams],
    moments: [...block.moments],
    positionEnds: [...block.positionEnds],
    eventIdStarts: [...block.eventIdStarts],
    eventIdEnds: [...block.eventIdEnds],
    revisions: [...block.revisions],
    eventTypePlaces: [...block.eventTypePlaces],
    correlationPlaces: [...block.correlationPlaces],
    actorPlaces: [...block.actorPlaces],
    companyPlaces: [...block.companyPlaces],
    streamPlaces: [...block.streamPlaces],
    momentPlaces: [...block.momentPlaces],
  };
}

function addTo(block: Omit<Filling, '_position'>, event: RecordedEvent): void {
  const { tenantId, companyId, actor, correlationId } = event.metadata;
  if (block.newestAt < event.recordedAt) block.newestAt = event.recordedAt;
  block.positionEnds.push(event.position.slice(block.block.length));
  block.eventIdStarts.push(event.id.slice(0, -ID_END));
  block.eventIdEnds.push(eventIdEnd(event.id));
  block.revisions.push(event.revision);
  block.eventTypePlaces.push(placeIn(block.eventTypes, event.type));
  block.correlationPlaces.push(placeIn(block.correlationIds, correlationId));
  block.actorPlaces.push(placeIn(block.actorIds, actor.id));
  block.companyPlaces.push(companyId === null ? null : placeIn(block.companyIds, companyId));
  block.streamPlaces.push(placeIn(block.streams, shortStream(tenantId, event.stream)));
  block.momentPlaces.push(placeIn(block.moments, event.recordedAt));
}

/** Where the value is in the list, to which it is added unless it is there. Mostly it is one of the last. */
function placeIn(list: string[], value: string): number {
  const place = list.lastIndexOf(value);
  return place < 0 ? list.push(value) - 1 : place;
}

function withEvents(
  document: HistoryDocument | undefined,
  events: readonly RecordedEvent[],
  key: string,
): Omit<HistoryDocument, '_position'> | undefined {
  const [first] = events;
  if (first === undefined) return document;
  const block = copied(document ?? emptyBlock(key, first.metadata.tenantId, first.position));
  for (const event of events) addTo(block, event);
  return block;
}

export const history: Projection<HistoryDocument> = {
  name: 'history',
  isReadOften: true,
  version: 3,
  takes: EVERY_TYPE,
  keys: (event) => [blockId(event)],
  evolve: (document, event, key) => withEvents(document, [event], key),
  evolveAll: withEvents,
  indexes: [
    { fields: ['tenantId', 'block', '_id', 'newestAt'] },
    { fields: ['tenantId', 'eventTypes'], multi: true },
    { fields: ['tenantId', 'correlationIds'], multi: true },
    // Without the tenant, which would be most of an entry: an end of an id is rare among all tenants.
    { fields: ['eventIdEnds'], multi: true },
  ],
  formerIndexes: [],
};

type Entity = Pick<HistoryEntry, 'entityType' | 'entityId' | 'stream'>;

/** A `/` is in no name of a stream. */
function shortStream(tenantId: string, stream: string): string {
  const { category, tenantId: owner, id } = parseStreamName(stream);
  return owner === tenantId && isStreamId(owner) && isStreamId(id) ? `${category}/${id}` : stream;
}

function entityOf(tenantId: string, short: string): Entity {
  const slash = short.indexOf('/');
  const whole = slash < 0 ? parseStreamName(short) : undefined;
  const category = whole?.category ?? (short.slice(0, slash) as Category);
  const entityId = whole?.id ?? short.slice(slash + 1);
  const stream = whole === undefined ? streamName(category, tenantId, entityId) : short;
  return { entityType: entityTypeOf.get(category) ?? null, entityId, stream };
}

/**
 * The entries of a block that the filter wants, in log order. A block without any of them costs next to nothing.
 * @param companies only entries of these; null: all, also those of no company
 */
export function entriesOf(
  block: HistoryDocument,
  filter: EntryFilter = {},
  companies: readonly string[] | null = null,
): HistoryEntry[] {
  const { tenantId } = block;
  const eventType = wanted(block.eventTypes, filter.eventType);
  const correlation = wanted(block.correlationIds, filter.correlationId);
  const actor = wanted(block.actorIds, filter.actorId);
  const seen = companies?.map((companyId) => block.companyIds.indexOf(companyId)).filter((place) => place >= 0);
  if (eventType === -1 || correlation === -1 || actor === -1 || seen?.length === 0) return [];
  const entities = block.streams.map((short) => entityOf(tenantId, short));
  const isWanted = ({ entityType, entityId }: Entity): boolean =>
    (filter.entityType === undefined || filter.entityType === entityType) &&
    (filter.entityId === undefined || filter.entityId === entityId);
  if (!entities.some(isWanted)) return [];
  const entries: HistoryEntry[] = [];
  for (const [nth, positionEnd] of block.positionEnds.entries()) {
    if (eventType !== undefined && block.eventTypePlaces[nth] !== eventType) continue;
    if (correlation !== undefined && block.correlationPlaces[nth] !== correlation) continue;
    if (actor !== undefined && block.actorPlaces[nth] !== actor) continue;
    const company = block.companyPlaces[nth] ?? null;
    if (seen !== undefined && (company === null || !seen.includes(company))) continue;
    const entity = entities[block.streamPlaces[nth] ?? 0];
    if (entity === undefined || !isWanted(entity)) continue;
    entries.push({
      tenantId,
      companyId: company === null ? null : at(block.companyIds, company),
      position: block.block + positionEnd,
      eventId: at(block.eventIdStarts, nth) + at(block.eventIdEnds, nth),
      eventType: at(block.eventTypes, block.eventTypePlaces[nth]),
      ...entity,
      revision: block.revisions[nth] ?? 0,
      actorId: at(block.actorIds, block.actorPlaces[nth]),
      correlationId: at(block.correlationIds, block.correlationPlaces[nth]),
      recordedAt: at(block.moments, block.momentPlaces[nth]),
    });
  }
  return entries;
}

/** Where the wanted value stands, -1 for nowhere; undefined where any is wanted. */
function wanted(list: readonly string[], value: string | undefined): number | undefined {
  return value === undefined ? undefined : list.indexOf(value);
}

function at(list: readonly string[], place: number | undefined): string {
  const value = place === undefined ? undefined : list[place];
  if (value === undefined) throw new RangeError('a block of the history names a value that it does not hold');
  return value;
}
