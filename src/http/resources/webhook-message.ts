import { foldStream } from '../../audit/fold-stream.ts';
import type { RecordedEvent } from '../../events/event.ts';
import type { WebhookType } from '../../events/webhook.ts';
import type { EventLog } from '../../log/log.ts';
import { parseStreamName } from '../../log/streams.ts';
import { assignments } from '../../projections/assignments.ts';
import { connections } from '../../projections/connections.ts';
import type { Projection } from '../../projections/projection.ts';
import { ruleRuns } from '../../projections/rule-runs.ts';
import { rules } from '../../projections/rules.ts';
import { schedules } from '../../projections/schedules.ts';
import { syncRuns } from '../../projections/sync-runs.ts';
import { transactions } from '../../projections/transactions.ts';
import type { ReadModels } from '../../queries/read-models.ts';
import type { Document } from '../../readstore/read-store.ts';
import { type Clock, isoTime } from '../../shared/clock.ts';
import { documentId } from '../../shared/ids.ts';
import { z } from '../core/zod.ts';
import { assignmentResource, assignmentSchema } from './assignment.ts';
import { connectionResource, connectionSchema } from './connection.ts';
import { instant } from './instants.ts';
import { ruleResource, ruleSchema } from './rule.ts';
import { runResource, runSchema } from './run.ts';
import { scheduleResource, scheduleSchema } from './schedule.ts';
import { syncResource, syncSchema } from './sync.ts';
import { transactionSchema, transactionWithAssignments } from './transaction.ts';

function messageOf<Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.strictObject({
    type: z.literal(type),
    timestamp: instant.openapi({ description: 'When the event was recorded.' }),
    data,
  });
}

/** The body of each type. */
export const webhookMessageSchemas = {
  'transaction.created': messageOf('transaction.created', transactionSchema),
  'transaction.withdrawn': messageOf('transaction.withdrawn', transactionSchema),
  'assignment.attached': messageOf('assignment.attached', assignmentSchema),
  'assignment.revoked': messageOf('assignment.revoked', assignmentSchema),
  'connection.updated': messageOf('connection.updated', connectionSchema),
  'sync.completed': messageOf('sync.completed', syncSchema),
  'sync.failed': messageOf('sync.failed', syncSchema),
  'run.completed': messageOf('run.completed', runSchema),
  'run.failed': messageOf('run.failed', runSchema),
  'rule.updated': messageOf('rule.updated', ruleSchema),
  'schedule.paused': messageOf('schedule.paused', scheduleSchema),
  'webhook.test': messageOf('webhook.test', z.strictObject({ webhookId: z.string() })),
} as const satisfies Record<WebhookType | 'webhook.test', z.ZodType>;

type EventPlace = {
  readonly tenantId: string;
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
};

const PROJECTED_WITHIN_MS = 5_000;
const MESSAGES_KEPT = 100;

/**
 * Makes the body that an event is delivered with. Transactions, assignments and rules are as the event left them, so
 * that each attempt has the same body; the others, which several streams make up, are as they are now.
 */
export function createWebhookMessages(options: {
  readonly log: Pick<EventLog, 'readStreamPositions'>;
  readonly readModels: ReadModels;
  readonly waitFor: (names: readonly string[], position: string, timeoutMs: number) => Promise<boolean>;
  readonly clock: Clock;
}): (event: EventPlace, type: string) => Promise<string> {
  const { log, readModels, waitFor, clock } = options;

  /** @throws Error while the read model is behind */
  async function present<D extends Document>(projection: Projection<D>, { tenantId, stream, position }: EventPlace) {
    const { id } = parseStreamName(stream);
    const document = await readModels.of(projection).get(documentId(tenantId, id));
    if (document !== undefined && document._position >= position) return document;
    await waitFor([projection.name], position, PROJECTED_WITHIN_MS);
    const later = await readModels.of(projection).get(documentId(tenantId, id));
    if (later === undefined) throw new Error(`${projection.name} does not hold ${id} yet`);
    return later;
  }

  function left<D extends Document>(projection: Projection<D>, events: readonly RecordedEvent[], id: string): D {
    const document = foldStream(projection, events).get(documentId(events[0]?.metadata.tenantId ?? '', id));
    if (document === undefined) throw new RangeError(`no ${projection.name} document comes from these events`);
    return document;
  }

  async function dataOf(type: WebhookType, place: EventPlace, event: RecordedEvent): Promise<unknown> {
    const { stream, revision } = place;
    const nowMs = clock.now();
    const { id } = parseStreamName(stream);
    const whole = () => (revision === 0 ? [event] : log.readStreamPositions(stream, { limit: revision + 1 }));
    switch (type) {
      case 'transaction.created':
      case 'transaction.withdrawn':
        return transactionWithAssignments(left(transactions, await whole(), id), undefined, isoTime(nowMs));
      case 'assignment.attached':
      case 'assignment.revoked': {
        const { assignmentId } = event.data as { assignmentId: string };
        return assignmentResource(left(assignments, await whole(), assignmentId));
      }
      case 'rule.updated':
        return ruleResource(left(rules, await whole(), id));
      case 'connection.updated':
        return connectionResource(await present(connections, place), nowMs);
      case 'sync.completed':
      case 'sync.failed':
        return syncResource(await present(syncRuns, place));
      case 'run.completed':
      case 'run.failed':
        return runResource(await present(ruleRuns, place), undefined, isoTime(nowMs));
      case 'schedule.paused':
        return scheduleResource(await present(schedules, place));
    }
  }

  async function made(place: EventPlace, type: string): Promise<string> {
    const [event] = await log.readStreamPositions(place.stream, { fromRevision: place.revision, limit: 1 });
    if (event === undefined) throw new RangeError(`${place.stream} has no revision ${place.revision}`);
    const data = await dataOf(type as WebhookType, place, event);
    return JSON.stringify({ type, timestamp: event.recordedAt, data });
  }

  /** Many webhooks get the same events at the same time. */
  const kept = new Map<string, Promise<string>>();
  return (place, type) => {
    const key = `${place.stream} ${place.revision}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const message = made(place, type);
    kept.set(key, message);
    message.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > MESSAGES_KEPT && oldest !== undefined) kept.delete(oldest);
    return message;
  };
}
