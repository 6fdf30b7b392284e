import { foldStream } from '../../../audit/fold-stream.ts';
import type { RecordedEvent } from '../../../events/event.ts';
import { isKnown } from '../../../events/registry.ts';
import type { Caller } from '../../../identity/caller.ts';
import { isStreamId, streamName } from '../../../log/streams.ts';
import { apiKeys } from '../../../projections/api-keys.ts';
import { connections } from '../../../projections/connections.ts';
import { categoryOf, ENTITY_TYPES, type EntityType } from '../../../projections/history.ts';
import type { Projection } from '../../../projections/projection.ts';
import { ruleRuns } from '../../../projections/rule-runs.ts';
import { rules } from '../../../projections/rules.ts';
import { schedules } from '../../../projections/schedules.ts';
import { syncRuns } from '../../../projections/sync-runs.ts';
import { companies } from '../../../projections/tenancy.ts';
import { transactions } from '../../../projections/transactions.ts';
import { users } from '../../../projections/users.ts';
import { webhooks } from '../../../projections/webhooks.ts';
import type { Reader } from '../../../queries/reader.ts';
import type { Document } from '../../../readstore/read-store.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { apiKeyResource } from '../../resources/api-key.ts';
import { companyResource } from '../../resources/company.ts';
import { connectionResource } from '../../resources/connection.ts';
import { ruleResource } from '../../resources/rule.ts';
import { runResource } from '../../resources/run.ts';
import { scheduleResource } from '../../resources/schedule.ts';
import { syncResource } from '../../resources/sync.ts';
import { transactionWithAssignments } from '../../resources/transaction.ts';
import { userResource } from '../../resources/user.ts';
import { webhookResource } from '../../resources/webhook.ts';

export const entityParams = z.strictObject({ entityType: z.enum(ENTITY_TYPES), id: identifier });

type Shown = Record<string, unknown> | undefined;

/** An entity as the API shows it; undefined before the event that creates it. */
type EntityView = {
  /** After all of the events, or those up to the position. */
  readonly at: (events: readonly RecordedEvent[], position?: string) => Shown;
  /** Before the event at `from`, and then after each from there on. */
  readonly stages: (events: readonly RecordedEvent[], from: number) => Shown[];
};

/** Which moment leases and health are shown for does not matter: neither comes from the entity's own events. */
const NEVER = new Date(0).toISOString();

function shownBy<D extends Document>(
  projection: Projection<D>,
  show: (document: D) => Record<string, unknown>,
): EntityView {
  const shown = (documents: ReadonlyMap<string, D>): Shown => {
    const [document] = documents.values();
    return document === undefined ? undefined : show(document);
  };
  return {
    at: (events, position) => shown(foldStream(projection, events, position)),
    stages(events, from) {
      let documents = foldStream(projection, events.slice(0, from));
      const stages = [shown(documents)];
      for (const event of events.slice(from)) {
        documents = foldStream(projection, [event], undefined, documents);
        stages.push(shown(documents));
      }
      return stages;
    },
  };
}

/** Effects of other streams, such as a connection's syncs, are left out: they belong to the history of those. */
function without(resource: Record<string, unknown>, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => !names.includes(name)));
}

export const entityViews: Readonly<Record<EntityType, EntityView>> = {
  connection: shownBy(connections, (document) => ({
    ...without(connectionResource(document, 0), 'syncHealth', 'lastProviderSyncAt'),
    credentials: document.credentials,
    archivedAt: document.archivedAt,
  })),
  sync: shownBy(syncRuns, syncResource),
  transaction: shownBy(transactions, (document) => transactionWithAssignments(document, undefined, NEVER)),
  rule: shownBy(rules, ruleResource),
  run: shownBy(ruleRuns, (document) => runResource(document, undefined, NEVER)),
  schedule: shownBy(schedules, (document) => ({
    ...without(scheduleResource(document), 'lastRunAt', 'lastOutcome', 'consecutiveFailures'),
    deleted: document.deleted,
  })),
  'api-key': shownBy(apiKeys, (document) => without(apiKeyResource(document, null), 'lastUsedAt')),
  user: shownBy(users, userResource),
  company: shownBy(companies, companyResource),
  webhook: shownBy(webhooks, webhookResource),
};

/**
 * All events of one entity, oldest first. @throws ApiError ENTITY_NOT_FOUND, also for one of another tenant or company,
 * and for one of the whole tenant (a user, an API key) or of further companies where the caller is limited to companies
 */
export async function eventsOf(
  { services, reader, caller }: { services: HttpServices; reader: Reader; caller: Caller },
  { entityType, id }: z.output<typeof entityParams>,
): Promise<RecordedEvent[]> {
  if (!isStreamId(id)) throw new ApiError('ENTITY_NOT_FOUND');
  const events = await services.log.readStreamPositions(streamName(categoryOf[entityType], reader.tenantId, id));
  const [first] = events;
  if (first === undefined) throw new ApiError('ENTITY_NOT_FOUND');
  const { tenantId, companyId } = first.metadata;
  if (companyId === null && caller.companies !== null) throw new ApiError('ENTITY_NOT_FOUND');
  const owned = { _id: id, _position: '', tenantId, ...(companyId === null ? {} : { companyId }) };
  if (!reader.sees(owned) || !maySeeAll(caller, events)) throw new ApiError('ENTITY_NOT_FOUND');
  return events;
}

/** A webhook may have events of several companies, at any time: it exists for whoever may see all of them. */
function maySeeAll({ companies: allowed }: Caller, events: readonly RecordedEvent[]): boolean {
  if (allowed === null) return true;
  return events.filter(isKnown).every(({ type, data }) => {
    const named = type === 'WebhookCreated' || type === 'WebhookChanged' ? data.companies : [];
    return named.every((companyId) => allowed.includes(companyId));
  });
}
