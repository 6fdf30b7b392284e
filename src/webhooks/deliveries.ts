import { nextPosition } from '../readstore/counted-position.ts';
import type { CollectionSpec, Condition, Document, ReadStore } from '../readstore/read-store.ts';
import { type Clock, isoTime } from '../shared/clock.ts';
import { computedId, documentId } from '../shared/ids.ts';
import type { Attempted } from './post-message.ts';

/** Events of the log lead to these again, but what receivers answered is in no event. */
const DELIVERIES: CollectionSpec = {
  name: 'webhook_deliveries',
  isState: true,
  indexes: [
    { fields: ['tenantId', 'webhookId', 'order'] },
    { fields: ['webhookKey', 'open', 'eventPosition'] },
    { fields: ['expiresAt'] },
  ],
};
const PROGRESS: CollectionSpec = { name: 'webhook_progress', isState: true, indexes: [] };
const RETRIES: CollectionSpec = { name: 'webhook_retries', isState: true, indexes: [{ fields: ['requestedAt'] }] };

const KEPT_MS = 30 * 86_400_000;
const SLICE = 500;
const MOST_ATTEMPTS_KEPT = 20;

export type Attempt = Attempted & { readonly at: string };

/** An event of the log for one webhook, and what came of its attempts. */
export type Delivery = Document & {
  readonly tenantId: string;
  /** Tenant and webhook. */
  readonly webhookKey: string;
  readonly webhookId: string;
  readonly id: string;
  /** The same for every attempt, and for every round: `webhook-id`. */
  readonly messageId: string;
  readonly round: number;
  readonly type: string;
  readonly eventId: string;
  readonly eventPosition: string;
  readonly stream: string;
  readonly revision: number;
  /** Orders the list: newest first. */
  readonly order: string;
  /** `replaced`: delivered again by a later round. */
  readonly status: 'pending' | 'delivered' | 'replaced';
  readonly open: boolean;
  /** The last 20. */
  readonly attempts: readonly Attempt[];
  readonly attemptCount: number;
  /** Failed attempts in a row since the webhook was last resumed, and when the first of them was. */
  readonly failures: number;
  readonly failingSince: string | null;
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
  /** Set when it has ended. */
  readonly expiresAt: string | null;
};

export type Progress = Document & {
  readonly round: number;
  /** The events up to here have a delivery, where the webhook gets them. */
  readonly position: string;
};

type RetryRequest = Document & {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly requestedAt: string;
};

export type Deliveries = Awaited<ReturnType<typeof openDeliveries>>;

/** Recognises a delivery that was made before: computed from what it delivers. */
export function deliveryIdOf(webhookId: string, round: number, eventId: string): string {
  return computedId('webhook-delivery', webhookId, String(round), eventId);
}

export function messageIdOf(webhookId: string, eventId: string): string {
  return `msg_${computedId('webhook-message', webhookId, eventId)}`;
}

/** The delivery after an attempt; it has ended where the attempt succeeded. */
export function afterAttempt(
  delivery: Delivery,
  attempt: Attempt,
  outcome: { readonly delivered: boolean; readonly nextAttemptAt: string | null },
): Delivery {
  const { delivered, nextAttemptAt } = outcome;
  const endedAt = delivered ? attempt.at : null;
  return {
    ...delivery,
    status: delivered ? 'delivered' : 'pending',
    open: !delivered,
    attempts: [...delivery.attempts, attempt].slice(-MOST_ATTEMPTS_KEPT),
    attemptCount: delivery.attemptCount + 1,
    failures: delivered ? 0 : delivery.failures + 1,
    failingSince: delivered ? null : (delivery.failingSince ?? attempt.at),
    nextAttemptAt,
    endedAt,
    expiresAt: endedAt === null ? null : isoTime(Date.parse(endedAt) + KEPT_MS),
  };
}

/** One write for all that were asked for while the last one was under way: a durable write takes as long for many. */
function inBatches(put: (documents: readonly Delivery[]) => Promise<unknown>) {
  let waiting: Delivery[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (documents: readonly Delivery[]): Promise<void> => {
    waiting.push(...documents);
    next ??= last
      .catch(() => undefined)
      .then(async () => {
        const batch = waiting;
        waiting = [];
        const write = put(batch);
        last = write;
        next = undefined;
        await write;
      });
    return next;
  };
}

/** The deliveries of all webhooks, and how far each webhook has come. */
export async function openDeliveries(readStore: ReadStore, clock: Clock) {
  for (const spec of [DELIVERIES, PROGRESS, RETRIES]) await readStore.ensureCollection(spec);
  const deliveries = readStore.collection<Delivery>(DELIVERIES);
  const progress = readStore.collection<Progress>(PROGRESS);
  const retries = readStore.collection<RetryRequest>(RETRIES);

  const written = inBatches((documents) => deliveries.putMany(documents));

  return {
    /** Each as a later version of what is stored. @throws ReadStoreUnavailable */
    async record(changed: readonly Delivery[]): Promise<Delivery[]> {
      const next = changed.map((one) => ({ ...one, _position: nextPosition(one._position) }));
      await written(next);
      return next;
    },
    known: (tenantId: string, ids: readonly string[]): Promise<Map<string, Delivery>> =>
      deliveries.getMany(ids.map((id) => documentId(tenantId, id))),
    get: (tenantId: string, id: string): Promise<Delivery | undefined> => deliveries.get(documentId(tenantId, id)),
    /** In the order of their events. */
    open: (webhookKey: string, limit: number): Promise<Delivery[]> =>
      deliveries.find({
        filter: [
          { field: 'webhookKey', op: 'eq', value: webhookKey },
          { field: 'open', op: 'eq', value: true },
        ],
        sort: [{ field: 'eventPosition', direction: 'asc' }],
        limit,
      }),
    /** Newest first. */
    async page(
      { tenantId, webhookId, status }: { tenantId: string; webhookId: string; status?: string },
      { limit, after }: { limit: number; after?: readonly (string | number)[] },
    ): Promise<{ items: Delivery[]; after: (string | number)[] | null }> {
      const found = await deliveries.find({
        filter: ofWebhook({ tenantId, webhookId, ...(status === undefined ? {} : { status }) }),
        sort: [{ field: 'order', direction: 'desc' }],
        limit: limit + 1,
        ...(after === undefined ? {} : { after }),
      });
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return { items, after: found.length <= limit || last === undefined ? null : [last.order, last._id] };
    },
    /** Exact up to `most`. */
    count(asked: { tenantId: string; webhookId: string; status?: string }, most: number): Promise<number> {
      return deliveries.count(ofWebhook(asked), most);
    },
    progress: (webhookKey: string): Promise<Progress | undefined> => progress.get(webhookKey),
    async saveProgress(before: Progress | undefined, webhookKey: string, round: number, position: string) {
      const next: Progress = { _id: webhookKey, _position: nextPosition(before?._position), round, position };
      await progress.putMany([next]);
      return next;
    },
    async requestRetry(tenantId: string, webhookId: string, deliveryId: string): Promise<void> {
      const _id = documentId(tenantId, deliveryId);
      const before = await retries.get(_id);
      const requestedAt = isoTime(clock.now());
      const _position = nextPosition(before?._position);
      await retries.putMany([{ _id, _position, tenantId, webhookId, deliveryId, requestedAt }]);
    },
    retriesRequested: (): Promise<RetryRequest[]> =>
      retries.find({ filter: [], sort: [{ field: 'requestedAt', direction: 'asc' }], limit: SLICE }),
    retryTaken: async ({ _id }: Pick<RetryRequest, '_id'>): Promise<void> => void (await retries.deleteMany([_id])),
    /** What is left of a webhook that was archived. */
    async forget(webhookKey: string): Promise<void> {
      await progress.deleteMany([webhookKey]);
      for (;;) {
        const left = await this.open(webhookKey, SLICE);
        await deliveries.deleteMany(left.map(({ _id }) => _id));
        if (left.length < SLICE) return;
      }
    },
    /** Deletes a batch of deliveries that ended long ago; true if there may be more. */
    async sweep(): Promise<boolean> {
      const expired = await deliveries.find({
        filter: [{ field: 'expiresAt', op: 'lte', value: isoTime(clock.now()) }],
        sort: [{ field: 'expiresAt', direction: 'asc' }],
        limit: SLICE,
      });
      await deliveries.deleteMany(expired.map(({ _id }) => _id));
      return expired.length === SLICE;
    },
  };
}

function ofWebhook(asked: { tenantId: string; webhookId: string; status?: string }): Condition[] {
  return Object.entries(asked).map(([field, value]) => ({ field, op: 'eq', value }));
}
