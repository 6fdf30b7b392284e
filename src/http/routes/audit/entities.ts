import type { RecordedEvent } from '../../../events/event.ts';
import { isKnown } from '../../../events/registry.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { StreamRange } from '../../../log/log.ts';
import { streamParts } from '../../../log/stream-parts.ts';
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
import { foldDocument } from '../../../queries/after-write.ts';
import type { Reader } from '../../../queries/reader.ts';
import type { Document } from '../../../readstore/read-store.ts';
import { firstWithout } from '../../../shared/first-without.ts';
import { ApiError } from '../../core/errors.ts';
import type { Call } from '../../core/operation.ts';
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

type AnyCall = Pick<Call<never, never, never>, 'services' | 'reader' | 'caller' | 'signal'>;
type Shown = Record<string, unknown> | undefined;

/** An entity as the API shows it after the events taken so far; undefined before the event that creates it. */
type EntityFold = {
  readonly take: (events: readonly RecordedEvent[]) => void;
  readonly shown: () => Shown;
};

/** Which moment leases and health are shown for does not matter: neither comes from the entity's own events. */
const NEVER = new Date(0).toISOString();

function shownBy<D extends Document>(
  projection: Projection<D>,
  show: (document: D) => Record<string, unknown>,
): () => EntityFold {
  return () => {
    const { take, found } = foldDocument(projection);
    return {
      take,
      shown() {
        const document = found();
        return document === undefined ? undefined : show(document);
      },
    };
  };
}

/** Effects of other streams, such as a connection's syncs, are left out: they belong to the history of those. */
function without(resource: Record<string, unknown>, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => !names.includes(name)));
}

const foldEntity: Readonly<Record<EntityType, () => EntityFold>> = {
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
 * One entity. Its events come oldest first, a part at a time: those of a long sync or run would not fit into memory,
 * and reading all takes seconds. They are read in turn with other tenants, while somebody waits for the answer.
 * @throws ApiError ENTITY_NOT_FOUND, also for one of another tenant or company, and for one of the whole tenant (a
 * user, an API key) or of further companies where the caller is limited to companies
 */
export async function openEntity(
  { services, reader, caller, signal }: AnyCall,
  { entityType, id }: z.output<typeof entityParams>,
) {
  if (!isStreamId(id)) throw new ApiError('ENTITY_NOT_FOUND');
  const stream = streamName(categoryOf[entityType], reader.tenantId, id);
  const read = (range: StreamRange) => services.log.readStreamPositions(stream, range);
  const events = () =>
    streamParts<RecordedEvent>((range) => {
      signal.throwIfAborted();
      return services.costlyRequests.pace(reader.tenantId, () => read(range));
    });
  const [first] = await read({ limit: 1 });
  if (!maySee(reader, caller, first)) throw new ApiError('ENTITY_NOT_FOUND');
  if (entityType === 'webhook' && !(await maySeeAll(caller, events()))) throw new ApiError('ENTITY_NOT_FOUND');
  return {
    events,
    /** As the API shows it after the events that it takes, none at first. */
    fold: foldEntity[entityType],
    count: () => firstWithout(async (nth) => (await read({ fromRevision: nth, limit: 1 })).length > 0),
  };
}

function maySee(reader: Reader, caller: Caller, first: RecordedEvent | undefined): boolean {
  if (first === undefined) return false;
  const { tenantId, companyId } = first.metadata;
  if (companyId === null && caller.companies !== null) return false;
  return reader.sees({ _id: first.stream, _position: '', tenantId, ...(companyId === null ? {} : { companyId }) });
}

/** A webhook may have events of several companies, at any time: it exists for whoever may see all of them. */
async function maySeeAll(
  { companies: allowed }: Caller,
  parts: AsyncIterable<readonly RecordedEvent[]>,
): Promise<boolean> {
  if (allowed === null) return true;
  for await (const events of parts) {
    const named = events.filter(isKnown).flatMap(({ type, data }) => {
      return type === 'WebhookCreated' || type === 'WebhookChanged' ? data.companies : [];
    });
    if (!named.every((companyId) => allowed.includes(companyId))) return false;
  }
  return true;
}
