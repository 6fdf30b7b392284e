import type { z } from 'zod';
import { bankConnectionEvents } from './bank-connection.ts';
import { bankTransactionEvents } from './bank-transaction.ts';
import { type EventCodec, EventSchemaError, type NewEvent, type RecordedEvent, type StreamEvent } from './event.ts';
import { ruleRunEvents } from './rule-run.ts';
import { scheduleEvents, scheduleRunEvents } from './schedule.ts';
import { sealEvents } from './seal.ts';
import { sessionEvents } from './session.ts';
import { subAccountEvents } from './sub-account.ts';
import { syncRunEvents } from './sync-run.ts';
import { tenancyEvents } from './tenancy.ts';
import { transactionRuleEvents } from './transaction-rule.ts';
import { webhookEvents } from './webhook.ts';

/** Every event type, with the newest version of its data's closed schema. */
export const eventTypes = {
  ...tenancyEvents,
  ...sessionEvents,
  ...bankConnectionEvents,
  ...subAccountEvents,
  ...syncRunEvents,
  ...bankTransactionEvents,
  ...transactionRuleEvents,
  ...ruleRunEvents,
  ...scheduleEvents,
  ...scheduleRunEvents,
  ...sealEvents,
  ...webhookEvents,
} as const;

export type EventType = keyof typeof eventTypes;
export type EventData<Type extends EventType> = z.infer<(typeof eventTypes)[Type]['schema']>;

type OneOf<Types extends EventType> = {
  [Type in Types]: { readonly type: Type; readonly data: EventData<Type> };
}[Types];

/** The facts of a group of types: what deciders make and fold. */
export type FactOf<Events extends Record<string, unknown>> = OneOf<Extract<keyof Events, EventType>>;
export type BankTransactionFact = FactOf<typeof bankTransactionEvents>;
export type BankConnectionFact = FactOf<typeof bankConnectionEvents>;
export type SyncRunFact = FactOf<typeof syncRunEvents>;
export type TransactionRuleFact = FactOf<typeof transactionRuleEvents>;
export type RuleRunFact = FactOf<typeof ruleRunEvents>;
export type TenancyFact = FactOf<typeof tenancyEvents>;
export type SessionFact = FactOf<typeof sessionEvents>;

/** A recorded event of a known type, its data typed by its `type`. */
export type KnownEvent<Type extends EventType = EventType> = {
  [Each in Type]: RecordedEvent<Each, EventData<Each>>;
}[Type];

type KnownStreamEvent = { [Each in EventType]: StreamEvent<Each, EventData<Each>> }[EventType];

/** `upcasters[type][n]` turns data of version n into version n + 1. Once written, an upcaster stays for ever. */
type Upcaster = (data: unknown) => unknown;
const withoutRun: Upcaster = (data) => ({ ...(data as object), runId: null });
/**
 * Taken as the only one with its reference, on a row that is not withdrawn: attached and revoked again, it adds up to
 * nothing.
 */
const asOnlyOneOfItsReference =
  (sameReferenceBefore: number): Upcaster =>
  (data) => ({ ...(data as object), sameReferenceBefore, withdrawn: false });
const withoutRest: Upcaster = (data) => ({
  ...(data as object),
  fetchedAt: null,
  counterparty: null,
  referenceKeys: [],
});
const upcasters: Partial<Record<EventType, Readonly<Record<number, Upcaster>>>> = {
  TransactionWithdrawn: { 1: withoutRest },
  TransactionAssignmentAttached: { 1: withoutRun, 2: asOnlyOneOfItsReference(0) },
  TransactionAssignmentRevoked: { 1: withoutRun, 2: asOnlyOneOfItsReference(1) },
};

function isEventType(type: string): type is EventType {
  return Object.hasOwn(eventTypes, type);
}

export function currentVersion(type: EventType): number {
  return eventTypes[type].version;
}

/** True for events of our own types, as every adapter with the real codec delivers them; narrows `data` by `type`. */
export function isKnown<Event extends StreamEvent>(event: Event): event is Event & KnownStreamEvent {
  return isEventType(event.type);
}

/** An unknown property by its own path; of anything else, the field of the data it is in. */
function refusedFields({ issues }: z.ZodError): string[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [...issue.path, key].join('.'))
      : String(issue.path[0] ?? ''),
  );
}

export const eventCodec: EventCodec = {
  check(event: NewEvent): void {
    if (!isEventType(event.type)) throw new EventSchemaError(event.type, 'no such event type');
    if (event.metadata.schemaVersion !== currentVersion(event.type)) {
      throw new EventSchemaError(event.type, `cannot be written as version ${event.metadata.schemaVersion}`);
    }
    const checked = eventTypes[event.type].schema.safeParse(event.data);
    if (checked.success) return;
    const fields = refusedFields(checked.error);
    if (fields.every((field) => event.carried?.includes(field))) return;
    throw new EventSchemaError(event.type, checked.error.message, fields);
  },
  upcast(type, schemaVersion, data) {
    // A type of a newer release, read while instances are upgraded one by one: nothing here uses it, so it is returned
    // as it is.
    if (!isEventType(type)) return { schemaVersion, data };
    const newest = currentVersion(type);
    let lifted = data;
    for (let version = schemaVersion; version < newest; version += 1) {
      const upcaster = upcasters[type]?.[version];
      if (upcaster === undefined) throw new EventSchemaError(type, `no upcaster from version ${version}`);
      lifted = upcaster(lifted);
    }
    if (schemaVersion > newest)
      throw new EventSchemaError(type, `version ${schemaVersion} is newer than this release supports`);
    return { schemaVersion: newest, data: lifted };
  },
};
