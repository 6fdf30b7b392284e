import { disableWebhook } from '../../commands/webhooks.ts';
import type { EventData } from '../../events/registry.ts';
import type { HistoryEntry } from '../../projections/history.ts';
import type { WebhookDocument } from '../../projections/webhooks.ts';
import { isoTime } from '../../shared/clock.ts';
import { documentId } from '../../shared/ids.ts';
import { sleep } from '../../shared/retry.ts';
import { nextAttemptMs } from '../../webhooks/attempts.ts';
import { wantsType, webhookTypeOf } from '../../webhooks/deliverable.ts';
import {
  type Attempt,
  afterAttempt,
  type Delivery,
  deliveryIdOf,
  messageIdOf,
  type Progress,
} from '../../webhooks/deliveries.ts';
import { signedHeaders } from '../../webhooks/signature.ts';
import { workerContext } from '../reactor-services.ts';
import type { TenantEvents } from './tenant-events.ts';
import type { WebhookServices } from './webhook-services.ts';

/** Deliveries of a webhook in memory at once; the log keeps the rest. */
const WINDOW = 500;
/** Attempts at once; a receiver that is slow or fails gets one at a time. */
const AT_ONCE = 4;
const SLOW_MS = 2_000;
/** After a start, these may have been delivered before: at least so many are looked up. */
const LOOK_UP_FIRST = 2 * WINDOW;
/** What was recorded since is recognised after a start, so the position need not be newer. */
const SAVE_EVERY_MS = 5_000;
const AFTER_FAULT_MS = 1_000;
const LONGEST_WAIT_MS = 3_600_000;
/** For the answers to attempts under way when it is stopped: what was delivered is recorded, and not repeated. */
const LAST_ANSWERS_MS = 2_000;
const GONE = 410;

/** One webhook being delivered by this instance. */
export type WebhookDelivery = {
  /** There may be new events. */
  readonly wake: () => void;
  /** What it delivers and where to has changed. */
  readonly change: (webhook: WebhookDocument) => void;
  /** Delivers one once more, whatever came of it; false when there is no such delivery. */
  readonly again: (deliveryId: string) => Promise<boolean>;
  /** Resolves when it has ended, soon after it was aborted, or disabled because of the receiver. */
  readonly ended: Promise<void>;
};

/** `before`: everything up to this position has been recorded when this one is the earliest that has not. */
type Item = {
  delivery: Delivery;
  readonly before: string;
  readonly queue: string;
  dueMs: number;
  recorded: boolean;
  inFlight: boolean;
};

/**
 * Delivers the events of the log to one webhook: each at least once, those of one stream in order. A delivery that
 * failed waits for its next attempt and holds back its stream only. What is recorded, and how far it has come, is
 * stored after the attempts, so a crash repeats some of them and leaves none out.
 */
export function deliverWebhook(
  services: WebhookServices,
  events: TenantEvents,
  initial: WebhookDocument,
  signal: AbortSignal,
): WebhookDelivery {
  const { clock, random, deliveries, secrets, retryTimes, logger } = services;
  const { tenantId, id: webhookId } = initial;
  const webhookKey = documentId(tenantId, webhookId);
  /** No attempt begins any more. */
  const over = new AbortController();
  /** Attempts under way are broken off. */
  const cut = new AbortController();
  const stop = (): void => over.abort();
  let webhook = initial;
  let progress: Progress | undefined;
  /** The events up to here are in `items`, or recorded, or not wanted. */
  let position = '';
  let round = 0;
  const items = new Map<string, Item>();
  /** The deliveries of each stream in their order: only the first may be attempted. */
  const queues = new Map<string, Item[]>();
  let lookedUp = 0;
  let isAfterStart = true;
  const attempts = new Set<Promise<void>>();
  let isSlow = false;
  let toRecord: Item[] = [];
  let recording: Promise<void> | undefined;
  let savedAtMs = 0;
  let signing:
    | { readonly generation: number; readonly untilMs: number; readonly secrets: readonly string[] }
    | undefined;
  let woken = false;
  let wakeUp = (): void => {};

  const wake = (): void => {
    woken = true;
    wakeUp();
  };

  function add(item: Item): void {
    items.set(item.delivery.id, item);
    const queue = queues.get(item.queue);
    if (queue === undefined) queues.set(item.queue, [item]);
    else queue.push(item);
  }

  function remove(item: Item): void {
    items.delete(item.delivery.id);
    const queue = (queues.get(item.queue) ?? []).filter((one) => one !== item);
    if (queue.length === 0) queues.delete(item.queue);
    else queues.set(item.queue, queue);
  }

  function itemOf(delivery: Delivery, before: string, recorded: boolean): Item {
    const dueMs = delivery.nextAttemptAt === null ? 0 : Date.parse(delivery.nextAttemptAt);
    return { delivery, before, queue: delivery.stream, dueMs, recorded, inFlight: false };
  }

  /** Continues where the last instance stopped; a round that was requested since begins at its start. */
  async function begin(): Promise<void> {
    progress = await deliveries.progress(webhookKey);
    const isNewRound = progress === undefined || progress.round < webhook.round;
    ({ round } = webhook);
    position = isNewRound ? webhook.fromPosition : (progress?.position ?? '');
    lookedUp = 0;
    isAfterStart = true;
    items.clear();
    queues.clear();
    const open = await deliveries.open(webhookKey, 2 * WINDOW);
    const replaced = open.filter((one) => one.round < round && one.eventPosition > webhook.fromPosition);
    const at = isoTime(clock.now());
    if (replaced.length > 0) {
      const ended = { status: 'replaced', open: false, endedAt: at, expiresAt: at, nextAttemptAt: null } as const;
      await deliveries.record(replaced.map((one) => ({ ...one, ...ended })));
    }
    for (const one of open) if (!replaced.includes(one)) add(itemOf(anew(one), one.eventPosition, true));
    if (isNewRound) progress = await deliveries.saveProgress(progress, webhookKey, round, position);
  }

  /** Attempts begin anew after the webhook was resumed. */
  function anew(delivery: Delivery): Delivery {
    const { resumedAt } = webhook;
    if (resumedAt === null || (delivery.failingSince ?? '') >= resumedAt) return delivery;
    return { ...delivery, failures: 0, failingSince: null, nextAttemptAt: null };
  }

  /** Takes events from the log while there is room for them. True when there may be more. */
  async function takeEvents(): Promise<boolean> {
    if (items.size >= WINDOW) return false;
    const slice = await events.after(position);
    if (slice.position === position) return false;
    const wanted = slice.events.flatMap((event) => {
      const type = webhookTypeOf(event.eventType);
      const isWanted = type !== undefined && wantsType(webhook.types, type);
      return isWanted && webhook.companies.includes(event.companyId ?? '') ? [{ event, type }] : [];
    });
    const ids = wanted.map(({ event }) => deliveryIdOf(webhookId, round, event.eventId));
    const known = isAfterStart && ids.length > 0 ? await deliveries.known(tenantId, ids) : new Map<string, Delivery>();
    lookedUp += ids.length;
    // Streams that were not held back may be far ahead of the one that was.
    isAfterStart &&= known.size > 0 || lookedUp < LOOK_UP_FIRST;
    let before = position;
    for (const [at, { event, type }] of wanted.entries()) {
      const id = ids[at] ?? '';
      if (!known.has(documentId(tenantId, id)) && !items.has(id))
        add(itemOf(newDelivery(event, type, id), before, false));
      before = event.position;
    }
    ({ position } = slice);
    return true;
  }

  function newDelivery(event: HistoryEntry, type: string, id: string): Delivery {
    const { eventId, position: eventPosition, stream, revision } = event;
    const createdAt = isoTime(clock.now());
    return {
      _id: documentId(tenantId, id),
      _position: '',
      tenantId,
      webhookKey,
      webhookId,
      id,
      messageId: messageIdOf(webhookId, eventId),
      round,
      type,
      eventId,
      eventPosition,
      stream,
      revision,
      order: `${String(round).padStart(8, '0')}/${eventPosition}`,
      status: 'pending',
      open: true,
      attempts: [],
      attemptCount: 0,
      failures: 0,
      failingSince: null,
      nextAttemptAt: null,
      createdAt,
      endedAt: null,
      expiresAt: null,
    };
  }

  /** Starts what is due, and says when the next one is. */
  function startDue(): number {
    const nowMs = clock.now();
    const most = isSlow ? 1 : AT_ONCE;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const queue of queues.values()) {
      const [item] = queue;
      if (item === undefined || item.inFlight) continue;
      if (item.dueMs > nowMs) nextMs = Math.min(nextMs, item.dueMs);
      else if (attempts.size < most) startAttempt(item);
    }
    return nextMs;
  }

  function startAttempt(item: Item): void {
    const attempt = attemptOf(item);
    attempts.add(attempt);
    void attempt.then(() => {
      attempts.delete(attempt);
      wake();
    });
  }

  async function attemptOf(item: Item): Promise<void> {
    item.inFlight = true;
    try {
      await outcomeOf(item, await sent(item));
    } catch (error) {
      // A store that does not answer says nothing about the receiver.
      item.dueMs = clock.now() + AFTER_FAULT_MS;
      if (!over.signal.aborted) logger.warn({ err: error, webhook: webhookId }, 'a delivery could not be prepared');
    } finally {
      item.inFlight = false;
    }
  }

  async function sent({ delivery }: Item): Promise<Attempt> {
    const { eventPosition, eventId, stream, revision, type, messageId: id } = delivery;
    const body = await services.messageOf({ tenantId, position: eventPosition, eventId, stream, revision }, type);
    const valid = await validSecrets();
    over.signal.throwIfAborted();
    const sentAtMs = clock.now();
    const headers = signedHeaders({ id, body }, valid, sentAtMs);
    const attempted = await services.post(webhook.url, { headers, body }, cut.signal);
    return { at: isoTime(sentAtMs), ...attempted };
  }

  async function validSecrets(): Promise<readonly string[]> {
    const { generation, graceUntil } = webhook;
    const nowMs = clock.now();
    if (signing === undefined || signing.generation !== generation || nowMs >= signing.untilMs) {
      const graceMs = graceUntil === null ? 0 : Date.parse(graceUntil);
      const untilMs = graceMs > nowMs ? graceMs : nowMs + LONGEST_WAIT_MS;
      signing = { generation, untilMs, secrets: await secrets.valid(tenantId, webhookId) };
    }
    return signing.secrets;
  }

  async function outcomeOf(item: Item, attempt: Attempt): Promise<void> {
    const { status, durationMs } = attempt;
    const delivered = status !== null && status >= 200 && status < 300;
    // A failure may be that of breaking off, and what failed is tried again anyway.
    if (over.signal.aborted && !delivered) return;
    isSlow = !delivered || durationMs > SLOW_MS;
    const { failures, failingSince } = item.delivery;
    const nowMs = clock.now();
    const firstMs = Date.parse(failingSince ?? attempt.at);
    const nextMs = delivered ? null : nextAttemptMs(retryTimes, { failures: failures + 1, firstMs, nowMs }, random);
    const isOver = status === GONE || (!delivered && nextMs === null);
    const nextAttemptAt = isOver || nextMs === null ? null : isoTime(nextMs);
    item.delivery = afterAttempt(item.delivery, attempt, { delivered, nextAttemptAt });
    item.dueMs = nextMs ?? Number.POSITIVE_INFINITY;
    toRecord.push(item);
    if (delivered) leaveQueue(item);
    await record();
    if (isOver) await disable(status === GONE ? 'RECEIVER_GONE' : 'FAILED_FOR_THREE_DAYS');
  }

  /** The next delivery of its stream may begin; the item itself is kept until it is recorded. */
  function leaveQueue(item: Item): void {
    remove(item);
    if (!item.recorded) items.set(item.delivery.id, item);
  }

  async function disable(reason: EventData<'WebhookDisabled'>['reason']): Promise<void> {
    const { companyId } = webhook;
    const context = workerContext(services, 'webhooks', { tenantId, companyId, correlationId: webhookId });
    const outcome = await disableWebhook(context, webhookId, reason);
    stop();
    if (!outcome.accepted || outcome.appended.length === 0) return;
    logger.warn({ webhook: webhookId, tenant: tenantId, code: reason }, 'a webhook was disabled');
  }

  /** One write for all outcomes that came while the last one was written. */
  async function record(): Promise<void> {
    while (recording !== undefined) await recording;
    if (toRecord.length === 0) return;
    const batch = toRecord;
    toRecord = [];
    recording = (async () => {
      const written = await deliveries.record(batch.map(({ delivery }) => delivery));
      for (const [at, item] of batch.entries()) {
        item.delivery = written[at] ?? item.delivery;
        item.recorded = true;
        if (!item.delivery.open) items.delete(item.delivery.id);
      }
    })().catch((error: unknown) => {
      toRecord = [...batch, ...toRecord];
      throw error;
    });
    try {
      await recording;
    } finally {
      recording = undefined;
    }
  }

  async function saveProgress(): Promise<void> {
    let settled = position;
    for (const { recorded, before } of items.values()) if (!recorded && before < settled) settled = before;
    savedAtMs = clock.now();
    if (progress !== undefined && settled <= progress.position) return;
    progress = await deliveries.saveProgress(progress, webhookKey, round, settled);
  }

  async function goOn(): Promise<void> {
    if (webhook.round !== round) await begin();
    while ((await takeEvents()) && !over.signal.aborted) startDue();
    const nextMs = startDue();
    if (toRecord.length > 0) await record();
    if (clock.now() - savedAtMs > SAVE_EVERY_MS) await saveProgress();
    if (!woken) await waitUntil(nextMs);
    woken = false;
  }

  async function waitUntil(nextMs: number): Promise<void> {
    const waitMs = Math.min(Math.max(0, nextMs - clock.now()), LONGEST_WAIT_MS);
    await new Promise<void>((done) => {
      const timer = setTimeout(done, waitMs);
      wakeUp = () => {
        clearTimeout(timer);
        done();
      };
      if (woken || over.signal.aborted) wakeUp();
    });
    wakeUp = () => {};
  }

  async function run(): Promise<void> {
    signal.addEventListener('abort', stop, { once: true });
    over.signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) stop();
    while (!over.signal.aborted) {
      try {
        await goOn();
      } catch (error) {
        if (over.signal.aborted) break;
        logger.warn({ err: error, webhook: webhookId }, 'webhook deliveries failed and will be retried');
        await sleep(AFTER_FAULT_MS, over.signal);
      }
    }
    signal.removeEventListener('abort', stop);
    await Promise.race([Promise.all(attempts), sleep(LAST_ANSWERS_MS, cut.signal)]);
    cut.abort();
    // What was answered is recorded, so that it is not delivered once more.
    await record()
      .then(saveProgress)
      .catch(() => undefined);
  }

  return {
    wake,
    change(next) {
      webhook = next;
      wake();
    },
    async again(deliveryId) {
      const waiting = items.get(deliveryId);
      if (waiting !== undefined) {
        waiting.dueMs = 0;
        wake();
        return true;
      }
      const found = await deliveries.get(tenantId, deliveryId);
      if (found === undefined) return false;
      // It holds back nothing: its stream went on long ago.
      add({ ...itemOf(found, found.eventPosition, true), queue: `again ${deliveryId}`, dueMs: 0 });
      wake();
      return true;
    },
    ended: run(),
  };
}
