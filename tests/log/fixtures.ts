import { randomUUID } from 'node:crypto';
import {
  type EventCodec,
  EventSchemaError,
  type NewEvent,
  type RecordedEvent,
  type StreamEvent,
} from '../../src/events/event.ts';
import type { EventLog, LogBatch, SubscribeOptions } from '../../src/log/log.ts';
import { type Category, streamName } from '../../src/log/streams.ts';

const NEWEST: Readonly<Record<string, number>> = { Noted: 2, Counted: 1 };

function fits(type: string, version: number, data: unknown): boolean {
  if (typeof data !== 'object' || data === null || Object.keys(data).length !== 1) return false;
  if (type === 'Noted' && version === 1) return 'note' in data && typeof data.note === 'string';
  if (type === 'Noted' && version === 2) return 'text' in data && typeof data.text === 'string';
  if (type === 'Counted' && version === 1) return 'value' in data && typeof data.value === 'number';
  return false;
}

function upcast(type: string, version: number, data: unknown): { schemaVersion: number; data: unknown } {
  const newest = NEWEST[type];
  // A shared server holds events of others, whose types this codec does not check.
  if (newest === undefined) return { schemaVersion: version, data };
  if (!fits(type, version, data)) throw new EventSchemaError(type, `no version ${version}`);
  if (type === 'Noted' && version === 1) return { schemaVersion: 2, data: { text: (data as { note: string }).note } };
  return { schemaVersion: newest, data };
}

function checker(versionOf: (type: string) => number | undefined): EventCodec['check'] {
  return (event) => {
    const version = versionOf(event.type);
    if (version === undefined) throw new EventSchemaError(event.type, 'unknown type');
    if (event.metadata.schemaVersion !== version || !fits(event.type, version, event.data)) {
      throw new EventSchemaError(event.type, 'does not fit its schema');
    }
  };
}

/** Closed schemas of two types; `Noted` has an older version, `{ note }`, that is upcast to `{ text }`. */
export const codec: EventCodec = { check: checker((type) => NEWEST[type]), upcast };

/** The codec as it was when `Noted` had its first version. */
export const oldCodec: EventCodec = { check: checker((type) => (type === 'Noted' ? 1 : undefined)), upcast };

/** Accepts and returns anything: for faults that occur before or after the codec. */
export const openCodec: EventCodec = {
  check: () => {},
  upcast: (_type, schemaVersion, data) => ({ schemaVersion, data }),
};

export function newTenant(): string {
  return randomUUID();
}

export function stream(tenant: string, id: string = randomUUID(), category: Category = 'bankTransaction'): string {
  return streamName(category, tenant, id);
}

export function metadata(tenant: string, schemaVersion = 2): NewEvent['metadata'] {
  return {
    schemaVersion,
    tenantId: tenant,
    companyId: null,
    actor: { type: 'system', id: 'tests' },
    correlationId: 'run-1',
    causationId: null,
  };
}

export function noted(tenant: string, text: string, id: string = randomUUID()): NewEvent {
  return { id, type: 'Noted', data: { text }, metadata: metadata(tenant) };
}

export function notes(tenant: string, count: number, prefix = 'note'): NewEvent[] {
  return Array.from({ length: count }, (_, index) => noted(tenant, `${prefix} ${index}`));
}

export function textOf(event: StreamEvent): string {
  return (event.data as { text: string }).text;
}

/** The tenant's events after the position, read page by page: a shared server holds others' events too. */
export async function readTenant(
  log: EventLog,
  tenant: string,
  after: string,
  options: { limit?: number; categories?: readonly string[] } = {},
): Promise<RecordedEvent[]> {
  const { limit = 500, ...rest } = options;
  const events: RecordedEvent[] = [];
  let from = after;
  for (;;) {
    const batch = await log.readAll({ after: from, limit, ...rest });
    events.push(...batch.events.filter((event) => event.metadata.tenantId === tenant));
    if (batch.caughtUp) return events;
    from = batch.position;
  }
}

/** Batches of one subscription, until `enough` returns true for all of them. */
export async function subscribeUntil(
  log: EventLog,
  options: Omit<SubscribeOptions, 'signal'>,
  enough: (batches: readonly LogBatch[]) => boolean,
): Promise<LogBatch[]> {
  const stop = new AbortController();
  const batches: LogBatch[] = [];
  for await (const batch of log.subscribe({ ...options, signal: stop.signal })) {
    batches.push(batch);
    if (enough(batches)) stop.abort();
  }
  return batches;
}

export function tenantEvents(batches: readonly LogBatch[], tenant: string): RecordedEvent[] {
  return batches.flatMap((batch) => batch.events.filter((event) => event.metadata.tenantId === tenant));
}
