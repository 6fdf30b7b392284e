import { history } from '../../projections/history.ts';
import type { Projection } from '../../projections/projection.ts';
import { type WebhookDocument, webhooks } from '../../projections/webhooks.ts';
import { leaseNames } from '../../readstore/lease-names.ts';
import type { Lease } from '../../readstore/read-store.ts';
import { documentId } from '../../shared/ids.ts';
import { deliverWebhook, type WebhookDelivery } from './deliver-webhook.ts';
import { openTenantEvents, type TenantEvents } from './tenant-events.ts';
import type { WebhookServices } from './webhook-services.ts';

type SettledReads = Parameters<typeof openTenantEvents>[0];

export type WebhookRuns = {
  /** Looks which webhooks this instance delivers, and wakes them; repeated by a reactor. */
  readonly look: () => Promise<boolean>;
  /** The webhooks themselves have changed: the next look reads them again. */
  readonly changed: () => void;
  /** The tenants have new events. */
  readonly wake: (tenantIds: Iterable<string>) => void;
  readonly stop: () => Promise<void>;
};

/** Without a notice, which another instance may have got. */
const READ_AGAIN_MS = 5_000;

type Running = {
  readonly delivery: WebhookDelivery;
  readonly end: () => void;
  readonly fence: number;
  document: WebhookDocument;
};

/**
 * Delivers the active webhooks whose lease this instance holds, each by itself: a slow receiver delays no other. Leases
 * are renewed together, and another instance takes over those that run out.
 */
export function openWebhookRuns(services: WebhookServices, settledReads: SettledReads): WebhookRuns {
  const { readStore, readModels, clock, owner, timing, deliveries } = services;
  const running = new Map<string, Running>();
  const events = new Map<string, TenantEvents>();
  const stopping = new AbortController();
  let active = new Map<string, WebhookDocument>();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let leasedAtMs = Number.NEGATIVE_INFINITY;
  let wokenAt = '';

  async function readActive(): Promise<boolean> {
    const nowMs = clock.now();
    if (Math.abs(nowMs - readAtMs) < READ_AGAIN_MS) return false;
    readAtMs = nowMs;
    const found = new Map<string, WebhookDocument>();
    const all = { filter: [{ field: 'status', op: 'eq', value: 'active' } as const], sort: [] };
    for await (const webhook of readModels.of(webhooks).iterate(all)) found.set(webhook._id, webhook);
    active = found;
    return true;
  }

  async function lease(isRead: boolean): Promise<void> {
    const nowMs = clock.now();
    if (!isRead && Math.abs(nowMs - leasedAtMs) < timing.leaseMs / 3) return;
    const names = [...active.keys()].map(leaseNames.webhook);
    const held = names.length === 0 ? [] : await renewed(names, nowMs);
    leasedAtMs = nowMs;
    const fences = new Map(held.map(({ name, fence }) => [name, fence]));
    for (const [key, { fence, end }] of running) {
      if (!active.has(key) || fences.get(leaseNames.webhook(key)) !== fence) end();
    }
    for (const [key, webhook] of active) {
      const fence = fences.get(leaseNames.webhook(key));
      const present = running.get(key);
      if (fence === undefined) continue;
      if (present === undefined) start(key, webhook, fence);
      else if (present.document._position !== webhook._position) {
        present.document = webhook;
        present.delivery.change(webhook);
      }
    }
  }

  /** Leases that cannot be renewed run out, and then another instance delivers. */
  async function renewed(names: readonly string[], nowMs: number): Promise<readonly Lease[]> {
    try {
      return await readStore.leases.acquireMany(names, owner, timing.leaseMs, nowMs);
    } catch (error) {
      if (nowMs - leasedAtMs >= timing.leaseMs) for (const { end } of running.values()) end();
      throw error;
    }
  }

  function start(key: string, webhook: WebhookDocument, fence: number): void {
    const { tenantId } = webhook;
    const own = events.get(tenantId) ?? openTenantEvents(settledReads, tenantId);
    events.set(tenantId, own);
    const over = new AbortController();
    const end = (): void => over.abort();
    const delivery = deliverWebhook(services, own, webhook, AbortSignal.any([over.signal, stopping.signal]));
    running.set(key, { delivery, end, fence, document: webhook });
    void delivery.ended.then(() => {
      running.delete(key);
      if (![...running.values()].some(({ document }) => document.tenantId === tenantId)) events.delete(tenantId);
      if (stopping.signal.aborted) return undefined;
      return readStore.leases.releaseMany([leaseNames.webhook(key)], owner).catch(() => undefined);
    });
  }

  /** For events that another instance folded, of which this one got no notice. */
  async function wakeWhereNew(): Promise<void> {
    if (running.size === 0) return;
    const [settled] = await settledReads.of([history as unknown as Projection]);
    if (settled === undefined || settled.position === wokenAt) return;
    wokenAt = settled.position;
    for (const { delivery } of running.values()) delivery.wake();
  }

  async function takeRetries(): Promise<void> {
    for (const request of await deliveries.retriesRequested()) {
      const { tenantId, webhookId, deliveryId } = request;
      const key = documentId(tenantId, webhookId);
      const present = running.get(key);
      if (present !== undefined) await present.delivery.again(deliveryId);
      // One that is not active delivers nothing; another instance takes what is its own.
      if (present !== undefined || !active.has(key)) await deliveries.retryTaken(request);
    }
  }

  return {
    async look() {
      if (stopping.signal.aborted) return false;
      await lease(await readActive());
      if (active.size > 0) await takeRetries();
      await wakeWhereNew();
      return false;
    },
    changed() {
      readAtMs = Number.NEGATIVE_INFINITY;
    },
    wake(tenantIds) {
      const tenants = new Set(tenantIds);
      for (const { delivery, document } of running.values()) if (tenants.has(document.tenantId)) delivery.wake();
    },
    async stop() {
      stopping.abort();
      const held = [...running.keys()].map(leaseNames.webhook);
      await Promise.all(Array.from(running.values(), ({ delivery }) => delivery.ended));
      await readStore.leases.releaseMany(held, owner).catch(() => undefined);
    },
  };
}
